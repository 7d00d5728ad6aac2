// Tasks for recursion: parallel_invoke and task_group.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/detail/open_groups.hpp>
#include <doall/for.hpp>
#include <doall/options.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <source_location>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// Calls the task with that index.
template <class Tasks, std::size_t... At>
void call_one(const Tasks& tasks, std::size_t index, std::index_sequence<At...>) {
  static_cast<void>(((At == index && (std::get<At>(tasks)(), true)) || ...));
}

}  // namespace detail

// Calls all the tasks, in parallel as far as workers are idle, and returns when all have ended:
//
//   doall::parallel_invoke([&] { sort(left); }, [&] { sort(right); });
//
// It is a loop with an iteration for each task, and may be nested like one. Without idle workers
// the tasks run in their order on the caller. Exceptions as in parallel_for: the first one is
// rethrown here, and tasks that have not begun by then never run.
// Cost: as a loop of as many iterations.
template <std::invocable... Tasks>
  requires(sizeof...(Tasks) > 0)
void parallel_invoke(Tasks&&... tasks) {
  const auto piece = [all = std::tuple<Tasks&...>(tasks...)](std::uint64_t begin, std::uint64_t end,
                                                             const auto&) {
    for (std::uint64_t i = begin; i < end; ++i) {
      detail::call_one(all, i, std::index_sequence_for<Tasks...>());
    }
    return loop_end::completed;
  };
  // A pack leaves no place for a source location. Reports find these loops by their code's address.
  detail::run(sizeof...(Tasks), piece, 0, 1, detail::constants.none, std::source_location{});
}

// The same with a loop's options. Once a stop is requested no further task begins: then it returns
// loop_end::stopped.
template <std::invocable... Tasks>
  requires(sizeof...(Tasks) > 0)
loop_end parallel_invoke(const loop_options& options, Tasks&&... tasks) {
  const auto piece = [all = std::tuple<Tasks&...>(tasks...)](std::uint64_t begin, std::uint64_t end,
                                                             const auto& stop) {
    for (std::uint64_t i = begin; i < end; ++i) {
      if (stop.stop_requested()) return loop_end::stopped;
      detail::call_one(all, i, std::index_sequence_for<Tasks...>());
    }
    return loop_end::completed;
  };
  return detail::run(sizeof...(Tasks), piece, 0, 1, options, std::source_location{});
}

DOALL_DIFFERS_BY_STOPS_BEGIN

// Tasks that are given one by one:
//
//   doall::task_group tasks;
//   for (node* child : children) tasks.run([=] { visit(child); });
//   tasks.wait();
//
// The thread that gives a task runs it when it waits, or an idle worker steals it, the oldest
// first: at once if it is given in no loop, else when the giving thread looks next. run() executes
// no task, so its caller may hold a lock that the task needs. (But for a loop in one of the group's
// tasks, on another thread: what that gives is executed as it is given.) Tasks may give the group
// more tasks, and may make groups. A thread that waits runs tasks of this group and what they
// start, nothing else.
//
// A group belongs to the thread that makes it. Only that thread may wait() or destroy it, in the
// iteration or task in which it was made; the destructor waits. In another thread wait() throws
// std::logic_error, and the destructor ends the program with a message. wait() rethrows the first
// exception that leaves a task, and tasks that have not begun by then never run. The destructor
// drops the exception. Likewise no task of a group with a stop token begins once a stop is
// requested; wait() then returns loop_end::stopped. A group has no schedule: its tasks are stolen
// one by one.
//
// Cost: 10 ns for a task that is not stolen, and an allocation. The first task that waits needs no
// allocation if it is small. Tasks that wait need memory, however many they are.
class task_group {
 public:
  task_group() : task_group(detail::stop_token()) {}
  explicit task_group(detail::stop_token stop) : stop_(std::move(stop)) {
    detail::begin_group(group_);
  }
  ~task_group() {
    if (!is_of_this_thread()) end_program();
    detail::wait_for_group(group_);
    detail::end_group(group_);
  }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  // Called by the thread that made the group, or from one of its tasks.
  template <class Task>
    requires std::invocable<std::decay_t<Task>&>
  void run(Task&& task) {
    using made = task_of<std::decay_t<Task>>;
    void* const room = room_for<made>();
    doall_task* given = nullptr;
    try {
      given = new (room) made(*this, std::forward<Task>(task));
    } catch (...) {  // no task was given
      give_room_back<made>(room);
      throw;
    }
    detail::give_task(group_, given);
  }

  // Returns when all tasks have ended: whether all have run. The group may be given more
  // afterwards.
  loop_end wait() {
    if (!is_of_this_thread()) [[unlikely]] {
      throw std::logic_error(
          "doall::task_group: wait() was called by another thread than the one that made the "
          "group, "
          "which alone may; it has not waited");
    }
    detail::wait_for_group(group_);
    room_is_taken_ = false;
    const bool all_ran = !left_out_.exchange(false, std::memory_order_relaxed);
    if (failed_.test(std::memory_order_relaxed)) {
      failed_.clear();
      std::rethrow_exception(std::exchange(first_failure_, nullptr));
    }
    return all_ran ? loop_end::completed : loop_end::stopped;
  }

 private:
  template <class Task>
  struct task_of final : doall_task {
    template <class From>
    task_of(task_group& group, From&& from)
        : doall_task{nullptr, nullptr, run_and_end}, of(group), task(std::forward<From>(from)) {}

    static void run_and_end(doall_task* self) noexcept {
      auto* const mine = static_cast<task_of*>(self);
      task_group& group = mine->of;
      try {
        if (group.stop_.stop_requested())
          group.left_out_.store(true, std::memory_order_relaxed);
        else if (!group.failed_.test(std::memory_order_relaxed))
          mine->task();
      } catch (...) {
        group.keep_failure();
      }
      const bool is_in_group = static_cast<void*>(mine) == group.room_;
      std::destroy_at(mine);
      if (!is_in_group) operator delete(mine, std::align_val_t(alignof(task_of)));
    }

    task_group& of;
    Task task;
  };

  // Where there was no memory for the group, its tasks have run at once, and any thread may.
  bool is_of_this_thread() const {
    return group_.here == nullptr || detail::is_this_thread(group_.here);
  }

  // Another thread destroys the group, which its own thread has a link to, and may have tasks of.
  [[noreturn, gnu::noinline, gnu::cold]] static void end_program() {
    std::fputs(
        "doall::task_group: it was destroyed by another thread than the one that made it, which "
        "alone may; the program ends\n",
        stderr);
    std::abort();
  }

  // The first task that the group's own thread gives after a wait lies in the group itself.
  template <class Made>
  void* room_for() {
    constexpr bool fits = sizeof(Made) <= sizeof room_ && alignof(Made) <= room_alignment;
    if (fits && detail::is_this_thread(group_.here) && !room_is_taken_) {
      room_is_taken_ = true;
      return room_;
    }
    return operator new(sizeof(Made), std::align_val_t(alignof(Made)));
  }
  template <class Made>
  void give_room_back(void* room) {
    if (room == room_)
      room_is_taken_ = false;
    else
      operator delete(room, std::align_val_t(alignof(Made)));
  }

  [[gnu::noinline, gnu::cold]] void keep_failure() {
    if (!failed_.test_and_set()) first_failure_ = std::current_exception();
  }

  static constexpr std::size_t room_alignment = 16;

  doall_group group_;
  std::exception_ptr first_failure_;
  std::atomic_flag failed_ = ATOMIC_FLAG_INIT;
  std::atomic<bool> left_out_{false};  // a task, as a stop was requested
  const detail::stop_token stop_;
  bool room_is_taken_ = false;
  alignas(room_alignment) std::byte room_[64];
};

DOALL_DIFFERS_BY_STOPS_END

}  // namespace v0
}  // namespace doall
