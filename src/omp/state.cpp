#include "omp/state.hpp"

#include <utility>

#include "base/fork.hpp"
#include "base/thread_end.hpp"
#include "base/unload.hpp"
#include "observe/served.hpp"
#include "omp/ompt/hooks.hpp"
#include "tasks/task_team.hpp"
#include "threads/pool.hpp"

namespace doall::omp {

DOALL_STATIC_TLS constinit thread_local task_state* current_task = nullptr;
DOALL_STATIC_TLS constinit thread_local region* spare_regions::first_ = nullptr;

namespace {

// The implicit region around all that a thread does outside any parallel construct.
struct outermost {
  region around;
  task_state task;

  outermost() : task((around.settings = initial_icvs(), around), 0) {}
};

constinit thread_local outermost* begun = nullptr;

void end_thread(void*) {
  spare_regions::free();
  delete std::exchange(begun, nullptr);
}

// The child of a fork in a region may be left with a task whose ancestors lie on stacks of threads
// that do not exist there, and that the next threads get. What is asked of an ancestor (its region,
// settings and numbers) is copied while the stacks are as they were. The copies last as long as the
// process.
task_state* copies = nullptr;

region& outermost_of(const task_state& task) {
  region* r = task.team;
  while (r->parent != nullptr) r = r->parent->team;
  return *r;
}

// No thread waits for others in regions that have lost theirs.
void mark_regions() {
  for (const task_state* on_stack = current_task; on_stack != nullptr;
       on_stack = on_stack->interrupted) {
    for (const task_state* at = on_stack; at != nullptr; at = at->team->parent) {
      if (at->team->size == 1) continue;
      at->team->forked = true;
      at->team->tasks->forget_after_fork();
    }
  }
}

bool is_copy(const task_state* one) {
  for (const task_state* c = copies; c != nullptr; c = c->interrupted) {
    if (c == one) return true;
  }
  return false;
}

void copy_ancestors() {
  mark_regions();
  for (task_state* on_stack = current_task; on_stack != nullptr; on_stack = on_stack->interrupted) {
    for (task_state* at = on_stack; at->team->parent != nullptr && !is_copy(at->team->parent);
         at = at->team->parent) {
      at->team->parent = copies = new task_state(*at->team->parent, copies);
    }
    // The threads of the regions around a target region are not in the child.
    outermost_of(*on_stack).around = nullptr;
  }
}
[[maybe_unused]] const int forks_stop_staffing =
    base::free_in_children<team::pool::no_staffing>(base::fork_order::first);
[[maybe_unused]] const int copied_in_children = base::at_fork(nullptr, nullptr, copy_ancestors);

constinit observe::served_mark served;
[[maybe_unused]] const int forgotten_in_children =
    base::at_fork(nullptr, nullptr, [] { served.forget(); });

const base::thread_end ends(end_thread);
const base::at_unload free_the_callers([] {
  end_thread(nullptr);
  task_team::free_all();
});

}  // namespace

void free_at_thread_end() { ends.watch_this_thread(&current_task); }

void spare_regions::give(region* r) {
  const std::uint32_t others = first_ != nullptr ? first_->spares : 0;
  if (others == most) {
    delete r;
    return;
  }
  r->spares = others + 1;
  r->next_spare = first_;
  first_ = r;
}

void spare_regions::free() {
  while (region* const r = take()) delete r;
}

task_state& begin_thread() {
  free_at_thread_end();
  begun = new outermost;  // its task makes itself current
  ompt::thread_begins();
  return begun->task;
}

region::region() : tasks(task_team::find(*this)) { tasks->make_room(size); }
region::~region() { task_team::give_back(tasks); }

task_state::task_state(region& in, std::uint32_t number, helper)
    : executor(*in.tasks, number),
      team(&in),
      next_loop(in.first_loop),
      next_single(in.first_single),
      interrupted(current_task) {
  current_task = this;
}

task_state::task_state(region& in, std::uint32_t number) : task_state(in, number, helper{}) {
  if (in.one_loop) {
    loop.at.number = next_loop++;
    team::loop_slot& slot = in.loops->at(loop.at.number);
    loop.cursor.begin(slot, index, slot.first.source);
  }
}

task_state::task_state(const task_state& of, task_state* last_copy)
    : executor(*of.team->tasks, of.index),
      team(of.team),
      team_number(of.team_number),
      team_count(of.team_count),
      interrupted(last_copy) {
  own = std::make_shared<icvs>(of.settings());
}

void task_state::have_own_settings() {
  own = std::make_shared<icvs>(settings());
  own_is_shared = false;
}

task_state::~task_state() { current_task = interrupted; }

void note_served() { served.note(); }

const task_state* ancestor_at(const task_state& of, std::uint32_t level) {
  const task_state* task = &of;
  while (task != nullptr && task->team->level > level) task = task->team->parent;
  return task != nullptr && task->team->level == level ? task : nullptr;
}

const task_state* in_active_region(const task_state& task) {
  for (const task_state* at = &task;;) {
    if (at->team->active_level != 0) return at;
    const region* r = at->team;
    while (r->parent != nullptr) r = r->parent->team;
    if (r->around == nullptr) return nullptr;
    at = r->around;
  }
}

}  // namespace doall::omp
