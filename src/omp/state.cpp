#include "omp/state.hpp"

#include <pthread.h>

#include <utility>

#include "base/unload.hpp"

namespace doall::omp {

constinit thread_local task_state* current_task = nullptr;
constinit thread_local region* spare_region = nullptr;

namespace {

// The implicit region around everything that a thread does outside of any
// parallel construct.
struct outermost {
  region around;
  task_state task;

  outermost() : task((around.settings = initial_icvs(), around), 0) {}
};

constinit thread_local outermost* begun = nullptr;

// Calls end_thread() when a thread ends. A pthread key's destructor runs after
// those of C++'s thread_local objects, which may still use regions.
class thread_end_key {
 public:
  thread_end_key() : made_(pthread_key_create(&key_, end_thread) == 0) {}
  ~thread_end_key() {
    if (made_) pthread_key_delete(key_);  // the code of end_thread() may be unloaded
    if (base::workers_alive == nullptr || !base::workers_alive()) end_thread(nullptr);
  }
  void watch_this_thread() {
    if (made_) pthread_setspecific(key_, &current_task);
  }

 private:
  static void end_thread(void*) {
    delete std::exchange(spare_region, nullptr);
    delete std::exchange(begun, nullptr);
  }

  pthread_key_t key_{};
  bool made_;
};

thread_end_key the_key;

}  // namespace

void free_at_thread_end() { the_key.watch_this_thread(); }

task_state& begin_thread() {
  free_at_thread_end();
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
    loop.cursor.begin(slot, index, slot.first.source);
  }
}

task_state::~task_state() { current_task = interrupted; }

const task_state* ancestor_at(const task_state& of, std::uint32_t level) {
  const task_state* task = &of;
  while (task != nullptr && task->team->level > level) task = task->team->parent;
  return task != nullptr && task->team->level == level ? task : nullptr;
}

}  // namespace doall::omp
