// Recursion made of tasks: parallel_invoke, and task_group.
#pragma once

#include <doall/abi.h>
#include <doall/for.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// Calls the task with that index.
template <class Tasks, std::size_t... I>
void call_one(Tasks& tasks, std::size_t index, std::index_sequence<I...>) {
  static_cast<void>(((I == index && (std::get<I>(tasks)(), true)) || ...));
}

}  // namespace detail

// Calls all the tasks, in parallel as far as workers are idle, and returns when all
// have ended:
//
//   doall::parallel_invoke([&] { sort(left); }, [&] { sort(right); });
//
// It is a loop with an iteration for each, and may be nested like one: without idle workers
// the tasks run in their order on the caller. Exceptions as in parallel_for: the first
// one is rethrown here, and tasks that have not begun by then do not.
// Cost: as a loop of as many iterations.
template <std::invocable... Tasks>
  requires(sizeof...(Tasks) > 0)
void parallel_invoke(Tasks&&... tasks) {
  std::tuple<Tasks&...> all(tasks...);
  parallel_for(std::size_t{0}, sizeof...(Tasks), [&](std::size_t index) {
    detail::call_one(all, index, std::index_sequence_for<Tasks...>());
  });
}

// Tasks that are given one by one:
//
//   doall::task_group tasks;
//   for (node* child : children) tasks.run([=] { visit(child); });
//   tasks.wait();
//
// A task is run by the thread that gives it, when it waits, or by an idle worker that steals
// it, the oldest first. Tasks may give the group more tasks; a group may be begun in a task.
// A thread that waits runs tasks of this group and what they start, nothing else.
//
// A group belongs to the thread that makes it, which alone may wait() or destroy it, in
// the loop's iteration or the task in which it was made; the destructor waits. The first
// exception that leaves a task is rethrown by wait(), and tasks that have not begun by then are
// given up; the destructor drops it.
//
// Cost: a task is one allocation, one push on the thread's own deque and one pop or theft.
class task_group {
 public:
  task_group() : group_(doall_group_begin(run_task)) {}
  ~task_group() {
    finish();
    if (group_ != nullptr) doall_group_end(group_);
  }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  // By the thread that has made it, or from within a task of it.
  template <class Task>
    requires std::invocable<std::decay_t<Task>&>
  void run(Task&& task) {
    auto* const made = new task_of<std::decay_t<Task>>(*this, std::forward<Task>(task));
    if (group_ != nullptr)
      doall_group_run(group_, made);
    else
      run_task(made);
  }

  // Until all tasks have ended. Afterwards the group may be given more.
  void wait() {
    finish();
    if (!failed_.test()) return;
    failed_.clear();
    std::rethrow_exception(std::exchange(first_failure_, nullptr));
  }

 private:
  struct any_task {
    explicit any_task(task_group& group) : of(group) {}
    virtual ~any_task() = default;
    virtual void call() = 0;

    task_group& of;
  };

  template <class Task>
  struct task_of final : any_task {
    template <class From>
    task_of(task_group& group, From&& from) : any_task(group), task(std::forward<From>(from)) {}
    void call() override { task(); }

    Task task;
  };

  static void run_task(void* task) noexcept {
    auto* const mine = static_cast<any_task*>(task);
    task_group& group = mine->of;
    try {
      if (!group.failed_.test()) mine->call();
    } catch (...) {
      if (!group.failed_.test_and_set()) group.first_failure_ = std::current_exception();
    }
    delete mine;
  }

  void finish() {
    if (group_ != nullptr) doall_group_wait(group_);
  }

  doall_group* group_;
  std::atomic_flag failed_ = ATOMIC_FLAG_INIT;
  std::exception_ptr first_failure_;
};

}  // namespace v0
}  // namespace doall
