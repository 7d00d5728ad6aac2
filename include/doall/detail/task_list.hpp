// The tasks of a group that wait, from the oldest to the newest (abi.h). Only the thread that began
// the group changes the list.
#pragma once

#include <doall/abi.h>

namespace doall {
inline namespace v0 {
namespace detail {

inline void add_task(doall_group& g, doall_task* t) {
  t->newer = nullptr;
  t->older = g.newest;
  if (g.newest != nullptr)
    g.newest->newer = t;
  else
    g.oldest = t;
  g.newest = t;
  ++g.open.end;
}

inline doall_task* take_newest_task(doall_group& g) {
  doall_task* const t = g.newest;
  g.newest = t->older;
  if (g.newest != nullptr)
    g.newest->newer = nullptr;
  else
    g.oldest = nullptr;
  --g.open.end;
  return t;
}

inline doall_task* take_oldest_task(doall_group& g) {
  doall_task* const t = g.oldest;
  g.oldest = t->newer;
  if (g.oldest != nullptr)
    g.oldest->older = nullptr;
  else
    g.newest = nullptr;
  --g.open.end;
  return t;
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
