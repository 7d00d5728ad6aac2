// A thread of a team, as the task engine sees it: which task it executes now, and what that leaves
// to its children. A door's own state of a thread derives from it (omp/state.hpp).
//
// Accessed by that thread alone.
#pragma once

#include <cstdint>
#include <memory>

#include "base/stack.hpp"
#include "base/sync.hpp"
#include "park/spin.hpp"

namespace doall::tasks {

struct task;
struct member;
struct undescribed_task;
class task_team;
class dependence_table;

// One open taskgroup, or the implicit one of a construct with task reductions.
struct task_group {
  task_group* outer = nullptr;
  std::uintptr_t* reductions = nullptr;  // GCC's ABI: the innermost around its tasks
  task* node = nullptr;                  // what its tasks are children of
  bool is_construct = false;  // a worksharing construct's, not one that `cancel taskgroup` means
  sync::atomic<bool> cancelled{false};
  bool outside_is_finished = false;  // the same task's children outside of it, by a taskwait
  void* of_llvm = nullptr;           // LLVM's ABI: its group_reductions
  task_group* reduces = nullptr;     // the innermost one around it that has those
};

struct executor {
  executor(task_team& of, std::uint32_t number) : tasks_of(&of), index(number) {}

  task_team* tasks_of;  // its team's
  std::uint32_t index;  // in the team

  // The explicit task that the thread runs now, in place of the implicit one (tasks.cpp).
  task* running = nullptr;            // null: the implicit task, or see undescribed
  task* node = nullptr;               // what it makes are children of; null: not needed so far
  member* at = nullptr;               // of the team, likewise
  std::int64_t floor = 0;             // in the member's deque: what it makes lies above
  dependence_table* table = nullptr;  // of its children; null: none so far
  task_group* group = nullptr;        // the innermost around it
  bool in_final = false;              // inside a final explicit task
  base::stack_part low_stack;         // of its thread; not known until a nest of tasks is deep
  // The undeferred task that it is in, which has begun without a descriptor; null: none.
  undescribed_task* undescribed = nullptr;

  // What the current task has changed of what its region gave it, which its children inherit; null:
  // nothing. Only the door knows what is in it. When a child shares it, a change makes a new one.
  std::shared_ptr<void> own;
  bool own_is_shared = false;
};

// What a team's door does for its tasks: the engine knows no region and no barrier's gates.
class team_host {
 public:
  virtual park::spin_bound spin() const = 0;  // of its threads, before they sleep
  // Whether this is the child of a fork, where the calling thread alone is left of the team.
  virtual bool is_alone() const = 0;
  // Wakes the threads that sleep in the team's barrier without looking for tasks.
  virtual void wake_barrier() = 0;
  // Has the calling thread, whose own part has ended, execute tasks as number `index`:
  // execute_all(), in a state of the door's.
  virtual void help(std::uint32_t index) = 0;

 protected:
  ~team_host() = default;
};

// What the process's settings say of tasks. Set once, before the first task is made.
struct task_settings {
  std::int32_t priority_most = 0;
  bool may_cancel = false;
  bool throttles = true;  // executes tasks where they are made, once enough wait
};

// One word: threads that begin together read the environment each, and all set the same.
class task_limits {
 public:
  void set(const task_settings& to) {
    const std::uint64_t flags =
        (to.may_cancel ? cancel_bit : 0) | (to.throttles ? throttle_bit : 0);
    // (1) relaxed; alone: a thread has set it itself, or learnt of the settings from one that had
    word_.store(flags | static_cast<std::uint32_t>(to.priority_most), sync::relaxed);
  }
  std::int32_t priority_most() const { return static_cast<std::int32_t>(word() & priority_bits); }
  bool may_cancel() const { return (word() & cancel_bit) != 0; }
  bool throttles() const { return (word() & throttle_bit) != 0; }

 private:
  static constexpr std::uint64_t priority_bits = 0xffff'ffff;
  static constexpr std::uint64_t cancel_bit = std::uint64_t{1} << 32;
  static constexpr std::uint64_t throttle_bit = std::uint64_t{1} << 33;

  std::uint64_t word() const {
    // (2) relaxed; alone: as (1)
    return word_.load(sync::relaxed);
  }

  sync::atomic<std::uint64_t> word_{throttle_bit};
};
[[gnu::visibility("hidden")]] extern constinit task_limits limits_of_tasks;

}  // namespace doall::tasks
