// task_group: tasks that are given one by one.
#ifndef DOALL_COMPAT_TASK_GROUP_H
#define DOALL_COMPAT_TASK_GROUP_H

#include "detail/context.h"
#include "detail/exceptions.h"
#include "detail/group.h"
#include "profiling.h"

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace tbb {
inline namespace doall_v0 {

enum task_group_status { not_complete, complete, canceled };

class task_group;

namespace detail {

// A task that is not given to its group is not run.
struct freed_task {
  void operator()(waiting_task* t) const {
    t->is_dropped = true;
    t->run(t);
  }
};

template <class Function>
struct task_of final : waiting_task {
  template <class From>
  explicit task_of(From&& from) : function(std::forward<From>(from)) {
    run = run_and_free;
  }
  static void run_and_free(doall_task* self) noexcept {
    auto* const task = static_cast<task_of*>(static_cast<waiting_task*>(self));
    open_tasks* const group = task->of;
    if (task->is_dropped) {
      delete task;
      return group->drop_one();
    }
    const open_tasks::turn its = open_tasks::begin_one(*task);
    if (its == open_tasks::turn::is_kept) return;
    std::unique_ptr<task_of> own(task);
    if (its == open_tasks::turn::is_dropped) return free_it(own);
    run_task(*group, group->as_task(own->arena), own->function);
    free_it(own);  // before the group may be told that it has ended
    group->end_one();
  }
  // A group that is begun meanwhile ends before libdoall's task does.
  static void free_it(std::unique_ptr<task_of>& own) {
    const inside part(here.algorithm, &arena_here());
    own.reset();
  }

  Function function;
  held_slots arena = named_arena_here();
};

}  // namespace detail

// A task that waits to be given to its group.
class task_handle {
 public:
  task_handle() = default;
  task_handle(task_handle&&) = default;
  task_handle& operator=(task_handle&&) = default;
  explicit operator bool() const noexcept { return task_ != nullptr; }
  friend bool operator==(const task_handle& t, std::nullptr_t) noexcept { return !t; }
  friend bool operator==(std::nullptr_t, const task_handle& t) noexcept { return !t; }
  friend bool operator!=(const task_handle& t, std::nullptr_t) noexcept { return bool(t); }
  friend bool operator!=(std::nullptr_t, const task_handle& t) noexcept { return bool(t); }

 private:
  friend class task_group;
  friend class task_arena;
  std::unique_ptr<detail::waiting_task, detail::freed_task> task_;
  task_group* group_ = nullptr;
};

// Any thread may give tasks. Who gave the first one waits, or all do; of tasks that others have
// given some begin only then. Tasks run on the thread that waits and on idle workers; exceptions
// and cancellation as in all algorithms.
class task_group {
 public:
  task_group() : task_group(nullptr) {}
  explicit task_group(task_group_context& context) : task_group(&context) {}
  ~task_group() noexcept(false) {
    const bool is_done = tasks_.is_done();
    if (!is_done) context().cancel_group_execution();
    const bool has_ended = tasks_.finish_or_leave();
    if (std::uncaught_exceptions() != 0) return;
    if (!has_ended) detail::throw_impatience();
    if (!is_done) throw missing_wait();
  }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  template <class Function>
  void run(Function&& f) {
    if constexpr (std::is_same_v<std::decay_t<Function>, task_handle>) {
      if (!f) throw std::runtime_error("Attempt to schedule empty task_handle");
      if (f.group_ != this)
        throw std::runtime_error("Attempt to schedule task_handle into different task_group");
      tasks_.give(*f.task_.release());
    } else {
      tasks_.give(*new detail::task_of<std::decay_t<Function>>(std::forward<Function>(f)));
    }
  }

  // The task as an object, for run(). Until it is run or destroyed, wait() does not return.
  template <class Function>
  task_handle defer(Function&& f) {
    task_handle made;
    made.task_.reset(new detail::task_of<std::decay_t<Function>>(std::forward<Function>(f)));
    tasks_.expect(*made.task_);
    made.group_ = this;
    return made;
  }

  template <class Function>
  task_group_status run_and_wait(Function&& f) {
    if constexpr (std::is_same_v<std::decay_t<Function>, task_handle>) {
      run(std::forward<Function>(f));
    } else {
      const detail::bound_here algorithm(context());
      tasks_.begin_own();
      detail::run_task(tasks_, {algorithm, detail::arena_here(), true}, f);
      tasks_.end_one();
    }
    return wait();
  }

  // Throws what a task threw. Afterwards the group may be given more.
  task_group_status wait() {
    tasks_.wait();
    if (!context().is_cancelled_itself()) return complete;
    const std::exception_ptr failure = tasks_.take_failure();
    if (failure != nullptr) std::rethrow_exception(failure);
    return canceled;
  }

  // No task that has not begun runs, until wait() has returned.
  void cancel() { context().cancel_group_execution(); }

 private:
  explicit task_group(task_group_context* context)
      : tasks_(context != nullptr ? *context : own_context_) {}
  task_group_context& context() { return tasks_.context(); }

  task_group_context own_context_;
  detail::open_tasks tasks_;
};

}  // namespace doall_v0
}  // namespace tbb

#endif
