#include "omp/state.hpp"

#include <utility>

namespace doall::omp {

constinit thread_local task_state* current_task = nullptr;

namespace {

// The implicit region around everything that a thread does outside of any
// parallel construct.
struct outermost {
  region around;
  task_state task;

  outermost() : task((around.settings = initial_icvs(), around), 0) {}
};

// A bare pointer, and not the object: destructors that run later in the thread's
// end may begin anew, and must not find a destroyed one.
constinit thread_local outermost* begun = nullptr;

struct thread_end {
  ~thread_end() { delete std::exchange(begun, nullptr); }
};

}  // namespace

task_state& begin_thread() {
  thread_local thread_end at_end;
  static_cast<void>(at_end);
  begun = new outermost;  // its task makes itself current
  return begun->task;
}

task_state::task_state(region& in, std::uint32_t number)
    : team(&in),
      index(number),
      settings(in.settings),
      next_loop(in.first_loop),
      next_single(in.first_single),
      interrupted(current_task) {
  current_task = this;
  if (in.one_loop) {
    loop.number = next_loop++;
    team::loop_slot& slot = in.loops->at(loop.number);
    loop.cursor.begin(slot, index, slot.loop.source);
  }
}

task_state::~task_state() { current_task = interrupted; }

const task_state* ancestor_at(const task_state& of, std::uint32_t level) {
  const task_state* task = &of;
  while (task != nullptr && task->team->level > level) task = task->team->parent;
  return task != nullptr && task->team->level == level ? task : nullptr;
}

}  // namespace doall::omp
