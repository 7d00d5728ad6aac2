// What the engine tells a tool of tasks. A door that knows tools defines it (omp/ompt/).
//
// A hook tests one word. Without a tool that is all it costs; with one, or before that is decided,
// it calls a function that is never inlined.
#pragma once

#include "tasks/task_engine.hpp"

namespace doall::tasks::watch {

// 0: no tool wants to know. Its other values are the door's (omp/ompt/phase.hpp). Hidden, so that a
// test needs no look at the global offset table.
[[gnu::visibility("hidden")]] extern constinit sync::atomic<int> phase;

inline bool is_on() {
  // (1) acquire; pairs with tool (2): what the start of the tool has set up
  return phase.load(sync::acquire) != 0;
}

// A task is made, before it is handed over or executed.
[[gnu::noinline, gnu::cold]] void told_made(task* t, bool deferrable, dependences on);
inline void made(task* t, bool deferrable, dependences on = {}) {
  if (is_on()) [[unlikely]]
    told_made(t, deferrable, on);
}
// Before and after its code, on the thread that executes it. The caller calls that code, or the
// program does when the caller has returned to it.
enum class caller : bool { runtime, program };
[[gnu::noinline, gnu::cold]] void told_begins(executor& me, task* t, caller by);
inline void begins(executor& me, task* t, caller by = caller::runtime) {
  if (is_on()) [[unlikely]]
    told_begins(me, t, by);
}
[[gnu::noinline, gnu::cold]] void told_ends(task* t);
inline void ends(task* t) {
  if (is_on()) [[unlikely]]
    told_ends(t);
}
[[gnu::noinline, gnu::cold]] void told_fulfilled(task* t);
inline void fulfilled(task* t) {
  if (is_on()) [[unlikely]]
    told_fulfilled(t);
}
// A task waits for an earlier one, by their records (task_extra::record); either may be null.
[[gnu::noinline, gnu::cold]] void told_dependence(void* earlier, void* later);

}  // namespace doall::tasks::watch
