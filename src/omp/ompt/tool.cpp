// Starts the tool at the first event of the process, and ends it at exit.
//
// One thread starts it: the one that moves the phase from `undecided` to `deciding`. Others that
// come meanwhile wait for the decision, since a thread whose first events are missed would report
// ends without beginnings. No lock is held: the tool's functions may do anything, also fork. In the
// child of a fork that another thread's start has not survived no tool is used.
//
// The end is a function for atexit(), not a destructor of the library: so it comes before the
// destructors of objects that the tool or the program has made before the first event. dlclose()
// calls it as well.
#include "omp/ompt/tool.hpp"

#include <cstdlib>

#include "base/fork.hpp"
#include "threads/pool.hpp"

constinit doall::sync::atomic<int> doall::tasks::watch::phase{doall::omp::ompt::undecided};

namespace doall::omp::ompt {

constinit std::array<sync::atomic<ompt_callback_t>, most_events> callbacks{};

namespace {

constinit sync::atomic<ompt_start_tool_result_t*> tool{nullptr};  // while one is used
constinit thread_local bool starts_here = false;

void move_to(phase next) {
  // (2) release; pairs with (3), (6), watch (1): the tool and its callbacks
  tasks::watch::phase.store(next, sync::release);
  sync::futex_wake_all(tasks::watch::phase);
}

void finalize_at_exit() { finalize(); }

bool start() {
  starts_here = true;
  find_own_code();
  ompt_start_tool_result_t* const found = find_tool();
  constexpr int host = 0;
  const bool wants = found != nullptr && found->initialize != nullptr &&
                     found->initialize(look_up, host, &found->tool_data) != 0;
  if (found != nullptr) {
    note_start(wants ? "the tool is used"
                     : "the tool's initialize() says that it is not to be used");
  }
  if (wants) {
    // (8) relaxed; alone: (2) publishes it
    tool.store(found, sync::relaxed);
    std::atexit(finalize_at_exit);
  }
  move_to(wants ? on : off);
  starts_here = false;
  return wants;
}

void decide_in_child() {
  // (4) relaxed; alone: there is no other thread
  if (tasks::watch::phase.load(sync::relaxed) == deciding && !starts_here) move_to(off);
}
[[maybe_unused]] const int decided_in_children = base::at_fork(nullptr, nullptr, decide_in_child);

// Most programs have no tool, and take no slow path then.
const bool decided_at_load = [] {
  if (!may_find_tool()) move_to(off);
  return true;
}();

}  // namespace

bool has_tool() {
  for (;;) {
    // (3) acquire; pairs with (2): the tool and its callbacks
    int seen = tasks::watch::phase.load(sync::acquire);
    switch (seen) {
      case off: return false;
      case on: return true;
      case undecided:
        // (5) acquire; alone: the winner starts the tool, and (2) publishes it
        if (tasks::watch::phase.compare_exchange_strong(seen, deciding, sync::acquire,
                                                        sync::relaxed)) {
          return start();
        }
        break;
      default:
        if (starts_here) return false;
        sync::futex_wait(tasks::watch::phase, deciding);
        break;
    }
  }
}

void finalize() {
  // (6) acquire; pairs with (2): the tool
  if (tasks::watch::phase.load(sync::acquire) != on) return;
  // (7) relaxed; alone: who gets it ends the tool
  ompt_start_tool_result_t* const ending = tool.exchange(nullptr, sync::relaxed);
  if (ending == nullptr) return;
  // The workers' ends are told by themselves. In a program that ends in a region they go on.
  team::pool::end_idle_workers();
  end_this_thread();
  move_to(off);
  // What other threads, or this one around the call, have begun to tell ends unseen.
  // (9) relaxed; alone: nothing is published
  for (auto& c : callbacks) c.store(nullptr, sync::relaxed);
  if (ending->finalize != nullptr) ending->finalize(&ending->tool_data);
}

}  // namespace doall::omp::ompt
