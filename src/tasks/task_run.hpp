// How a thread executes tasks, and waits by executing them.
#pragma once

#include "base/tsan.hpp"
#include "tasks/task_barrier.hpp"
#include "tasks/task_team.hpp"

namespace doall::tasks {

// The calling thread's member, and the node whose children its current task makes.
inline member& member_of(executor& me) {
  if (me.at == nullptr) [[unlikely]]
    me.at = &me.tasks_of->member_of(me.index);
  return *me.at;
}
task& describe_current(executor& me);
inline task& node_of(executor& me) { return me.node != nullptr ? *me.node : describe_current(me); }

// An undeferred task that has begun without a descriptor (run_undeferred()), on its thread's stack.
// It gets one when it needs it: for children, groups and waits.
struct undescribed_task {
  undescribed_task* outer;  // around it, likewise; null: it has a descriptor, or is implicit
  task* around;             // the node of the innermost one around it that has a descriptor

  // When it has a descriptor: what the state says of the task around it, besides what was put aside
  // when it began.
  task* running;
  std::int64_t floor;
  task_group* group;
};

// The tied task that the thread is in: what it may execute while that waits are its descendants.
inline task* tied_task_of(executor& me) {
  return me.running != nullptr ? me.running : &member_of(me).root;
}

// The team that a task belongs to.
inline task_team* team_of(const task* t) { return t->home->of; }

// Tasks that are executed immediately, one inside the other on a thread's stack, whatever stack
// they take. Beyond, as long as most of the stack is left.
inline constexpr std::uint32_t immediate_most = 64;

// Whether a task that is made now is kept from thieves: it lies deep, and nobody has stolen what
// this thread has pushed for long. A push and a pop cost more than such a task, and chains whose
// levels wait for the next would have one each. One in 16 is offered, so that they become parallel
// again when thieves come. At that depth libgomp defers no task, either: the team has too many.
inline bool is_kept_from_thieves(const executor& me, member& m) {
  constexpr std::uint32_t unstolen_least = 64;
  constexpr std::uint32_t depth_a_thread = 64;
  constexpr std::uint32_t offered_in = 16;
  if (m.unstolen < unstolen_least || me.node == &m.root) [[likely]]
    return false;
  const task* around = me.node;
  if (around == nullptr) around = me.undescribed != nullptr ? me.undescribed->around : &m.root;
  // (1) relaxed; alone: this thread has acquired the task
  if (around->depth.load(sync::relaxed) < depth_a_thread * me.tasks_of->size()) return false;
  return ++m.chances % offered_in != 0;
}

// Whether a task may be nested in those that wait on the thread's stack, though many do.
inline bool is_stack_use_low(executor& me) {
  if (me.low_stack.top == 0) [[unlikely]]
    me.low_stack = base::low_stack();
  const char here = 0;
  return me.low_stack.has(&here);
}

// Whether a task that is made now would be executed immediately. True: me.at is there, unless the
// task is an included one.
[[gnu::always_inline]] inline bool is_executed_immediately(executor& me) {
  if (me.in_final) return true;
  member& m = member_of(me);
  if (me.tasks_of->size() != 1) [[likely]] {
    if (!m.mine().is_full() && !is_kept_from_thieves(me, m)) [[likely]]
      return false;
    if (!limits_of_tasks.throttles()) return false;
  }
  return m.immediate_depth < immediate_most || is_stack_use_low(me);
}

// Makes a made task a child of the current one, unless it is already. Returns the node that has it.
task& put_in_tree(executor& me, task* t);

// Executes a task that the thread has taken.
void execute(executor& me, task* t);

// Hands over a task whose dependences are met; executes it immediately if there is enough to share.
void hand_over(executor& me, task* t);

// Reports a child's end to its parent, and further up as far as nodes become complete by it. `me`
// is null on a thread that is no member.
void report_end(member* me, task* parent, child_counts::count what);

// Executes the tasks of a taskloop's range (task_pieces.cpp).
void run_range(executor& me, void* payload);

// Whether a task that has not begun is not to be executed, for its group or its region is
// cancelled.
bool is_discarded(const executor& me, const task* t);

// Waits until all that the implicit task has made is complete, executing any tasks of the team.
void complete_tasks(executor& me);

// Executes what is in the thread's deque above the current task's floor.
void execute_own(executor& me);

// The bed (park/gate.hpp) of a thread that takes tasks.
class task_bed {
 public:
  task_bed(executor& me, const task* within, park::gate& at)
      : me_(me), member_(member_of(me)), team_(*me.tasks_of), within_(within), at_(at) {}

  void lie_down() const { team_.lie_down(member_, within_, at_); }
  bool is_called() const {
    return sleepers::was_called(member_.sleeping, at_) ||
           team_.may_take(&member_, me_.floor, within_);
  }
  void get_up() const { team_.get_up(member_, at_); }

 private:
  executor& me_;
  member& member_;
  task_team& team_;
  const task* within_;
  park::gate& at_;
};

// A thread that waits and executes tasks that descend from `within` (null: any) meanwhile, as
// task_barrier.hpp wants it.
class waiting_thread {
 public:
  waiting_thread(executor& me, const task* within)
      : me_(me), team_(*me.tasks_of), within_(within) {}

  task* take() const { return team_.take(member_of(me_), me_.floor, within_); }
  bool may_take() const { return team_.may_take(&member_of(me_), me_.floor, within_); }
  void execute(task* t) const { tasks::execute(me_, t); }
  bool has_tasks() const { return team_.has_tasks(); }
  bool is_over() const { return team_.is_given_up(); }
  // What other threads were executing never ends in the child of a fork.
  bool is_alone() const { return team_.in->is_alone(); }
  park::gate& bed() const { return member_of(me_).bed; }
  task_bed bed_at(park::gate& at) const { return {me_, within_, at}; }
  park::spin_bound spin() const { return team_.in->spin(); }
  void wake_members() const { team_.wake_members(); }

 private:
  executor& me_;
  task_team& team_;
  const task* within_;
};

// Executes tasks that descend from `within` (null: any) until ready(). Sleeps at that gate when
// there are none. In the child of a fork in the region it returns when there are none.
template <class Ready>
void run_until(executor& me, const task* within, park::gate& at, Ready ready) {
  task_barrier::execute_until(waiting_thread(me, within), at, ready);
}

}  // namespace doall::tasks
