// Groups of tasks: the part that the program's own code executes (abi.h, doall_group).
//
// A group is one of its thread's stays, like an open loop (open_loops.hpp): its tasks are
// iterations that no thread has begun. They lie in a list. A wait takes them from it, newest first;
// a look gives the older half of them away. A task that is not stolen costs two updates of the
// list. Tasks that are given in no loop go to the runtime, which offers them at once: that thread
// may look next when it waits. Giving executes nothing, for its caller may hold what the task
// needs.
#pragma once

#include <doall/abi.h>
#include <doall/detail/open_loops.hpp>
#include <doall/detail/task_list.hpp>

#include <cstdint>

namespace doall {
inline namespace v0 {
namespace detail {

inline void begin_group(doall_group& g) {
  doall_thread* const here = this_thread;
  if (!is_this_thread(here) || here->loop == nullptr) {
    doall_group_begin(&g);
    this_thread = doall_thread_here();
    return;
  }
  g = {{here->innermost, nullptr, 0, 0, 0, here->loop, here->kind_of_groups},
       here,
       nullptr,
       nullptr,
       0,
       0};
  here->innermost->inside = &g.open;
  here->innermost = &g.open;
}

// Called by the thread that began the group.
inline void run_task_here(doall_group& g, doall_task* t) {
  void* const before = g.here->loop;
  g.here->loop = g.open.loop;
  t->run(t);
  g.here->loop = before;
}

// The same, to put a task into the list.
inline void list_task(doall_group& g, doall_task* t) {
  add_task(g, t);
  // Looks may have passed this stay by, while it was empty, and gone on to stays inside it.
  if (g.open.end == 1 && g.here->innermost != &g.open) g.here->outermost_open = &g.here->outermost;
  count_piece(g.here);
}

inline void give_task(doall_group& g, doall_task* t) {
  if (g.here == nullptr) return t->run(t);  // there is no memory
  const bool is_listed =
      g.here->owner == thread_pointer() && g.waiting == 0 && g.here->loop != nullptr;
  if (!is_listed) return doall_group_run(&g, t);
  list_task(g, t);
}

inline void wait_for_group(doall_group& g) {
  if (g.here == nullptr) return;
  while (g.open.end != 0) {
    run_task_here(g, take_newest_task(g));
    count_piece(g.here);
  }
  if (g.offered != 0) [[unlikely]]
    doall_group_wait(&g);
}

inline void end_group(doall_group& g) {
  doall_thread* const here = g.here;
  if (here == nullptr) return;
  // An outermost group has a frame to give back.
  if (here->innermost != &g.open || here->loop == nullptr) return doall_group_end(&g);
  here->innermost = g.open.around;
  if (here->outermost_open == &g.open) here->outermost_open = g.open.around;
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
