// Groups of tasks that any thread may use, over libdoall's, which belong to the thread and the
// stretch of its code in which they were begun.
//
// A group is begun by the thread that gives it the first task, and that thread's tasks, and those
// that they give, go straight to libdoall. They are closed by that thread: when it waits in the
// same stretch of code (piece of an algorithm, or task), and at the latest when that ends. Tasks
// of any other thread lie in a list until somebody waits. So do those that libdoall would execute
// while they are given: run() returns at once, for its caller may hold what the task waits for.
#ifndef DOALL_COMPAT_GROUP_H
#define DOALL_COMPAT_GROUP_H

#include "loop.h"

#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

class open_tasks;

// A task as it lies in a group. run() executes it and frees it.
struct waiting_task : doall_task {
  open_tasks* of = nullptr;
  waiting_task* next = nullptr;
  bool is_dropped = false;
};

// Which groups' tasks this thread is in.
struct running_task {
  const open_tasks* of;
  const running_task* around;
};
[[gnu::visibility("hidden")]] inline thread_local const running_task* innermost_task = nullptr;

// The task that this thread is giving to libdoall.
[[gnu::visibility("hidden")]] inline thread_local const doall_task* being_given = nullptr;

class open_tasks {
 public:
  explicit open_tasks(task_group_context& context) : context_(context) {}
  open_tasks(const open_tasks&) = delete;
  open_tasks& operator=(const open_tasks&) = delete;

  task_group_context& context() const { return context_; }
  bool is_done() const {
    // (1) acquire; pairs with (2): what the tasks did
    return outstanding_.load(std::memory_order_acquire) == 0;
  }

  void give(waiting_task& t) {
    if (t.of == nullptr) expect(t);
    t.newer = t.older = nullptr;
    // Where there is one thread nobody could take it before a wait.
    if (!is_open_here() && (threads_here() == 1 || !may_open())) return keep(t);
    const doall_task* const before = std::exchange(being_given, &t);
    doall_group_run(&group_, &t);
    being_given = before;
  }

  // Until somebody waits.
  void keep(waiting_task& t) {
    const std::lock_guard<std::mutex> lock(mutex_);
    t.next = std::exchange(others_, &t);
  }

  // A task that is kept for later counts from the beginning.
  void expect(waiting_task& t) {
    t.of = this;
    // (3) relaxed; alone: the caller waits, or is a task that is counted
    outstanding_.fetch_add(1, std::memory_order_relaxed);
  }

  // The caller runs a task itself, and waits then.
  void begin_own() {
    // (12) relaxed; alone: as (3)
    outstanding_.fetch_add(1, std::memory_order_relaxed);
    // (13) relaxed; alone: as (7)
    owner_waits_.store(true, std::memory_order_relaxed);
  }

  // Called by a task when it has ended.
  void end_one() {
    // (2) release; pairs with (1): what the task did
    outstanding_.fetch_sub(1, std::memory_order_release);
  }

  // Returns when all tasks have ended.
  void wait() {
    for (clock::time_point since{};;) {
      if (give_others()) since = {};
      if (is_owner()) {
        // (7) relaxed; alone: a hint for a message
        owner_waits_.store(true, std::memory_order_relaxed);
        doall_group_wait(&group_);
        if (scope_ == &scope_here()) close();
      }
      if (is_done()) {
        // (8) relaxed; alone: as (7)
        owner_waits_.store(false, std::memory_order_relaxed);
        return;
      }
      // What is left runs on other threads, or lies with one that is about to wait.
      if (since == clock::time_point()) since = clock::now();
      // (9) relaxed; alone: as (7)
      const bool owner_is_away = owner_.load(std::memory_order_relaxed) != nullptr &&
                                 !owner_waits_.load(std::memory_order_relaxed);
      if (owner_is_away && !is_owner() && clock::now() - since > patience)
        throw std::logic_error(
            "tbb::task_group (doall/compat): wait() by another thread than the one that gave the "
            "first task, while that one has not waited for 10 s; expected it to wait, too");
      std::this_thread::yield();
    }
  }

  // After a wait: the context may be used again. Of several who wait one gets the exception.
  std::exception_ptr take_failure() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::exception_ptr its = context_.failure();
    context_.reset();
    return its;
  }

  // Nobody will use it again.
  void finish() {
    wait();
    if (is_owner()) close();
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds patience{10};

  static const void* this_thread() { return &outermost; }
  bool is_owner() const {
    // (4) relaxed; alone: only this thread writes its own address
    return owner_.load(std::memory_order_relaxed) == this_thread();
  }

  // This thread's group, or this thread is in one of its tasks.
  bool is_open_here() const {
    // (10) relaxed; alone: as (4); for a task of the group it does not change meanwhile
    const void* const owner = owner_.load(std::memory_order_relaxed);
    if (owner == nullptr) return false;
    if (owner == this_thread()) return true;
    for (const running_task* t = innermost_task; t != nullptr; t = t->around)
      if (t->of == this) return true;
    return false;
  }

  bool may_open() {
    const void* none = nullptr;
    // (5) acquire; pairs with (6): the group of the owner before
    if (!owner_.compare_exchange_strong(none, this_thread(), std::memory_order_acquire,
                                        std::memory_order_relaxed))
      return false;
    bound_.emplace(context_);
    const limited workers;
    doall_group_begin(&group_);
    scope_ = &scope_here();
    next_ = std::exchange(scope_->groups, this);
    scope_->end_groups = end_all;
    return true;
  }

  static void end_all(scope& from, scope* to) {
    while (from.groups != nullptr) {
      open_tasks& group = *from.groups;
      if (to == nullptr) {
        doall_group_wait(&group.group_);
        group.close();
        continue;
      }
      from.groups = group.next_;
      group.scope_ = to;
      group.next_ = std::exchange(to->groups, &group);
      to->end_groups = end_all;
    }
  }

  // After a wait, in its scope.
  void close() {
    for (open_tasks** at = &scope_->groups; *at != nullptr; at = &(*at)->next_) {
      if (*at != this) continue;
      *at = next_;
      break;
    }
    doall_group_end(&group_);
    bound_.reset();
    // (11) relaxed; alone: as (7)
    owner_waits_.store(false, std::memory_order_relaxed);
    // (6) release; pairs with (5): the group has ended
    owner_.store(nullptr, std::memory_order_release);
  }

  // Gives tasks of other threads to the group. Whether there were any.
  bool give_others() {
    waiting_task* mine = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      mine = std::exchange(others_, nullptr);
    }
    if (mine == nullptr) return false;
    while (mine != nullptr) {
      waiting_task& t = *std::exchange(mine, mine->next);
      if (is_owner() || may_open())
        doall_group_run(&group_, &t);
      else
        t.run(&t);
    }
    return true;
  }

  task_group_context& context_;
  std::atomic<std::uint64_t> outstanding_{0};
  std::atomic<const void*> owner_{nullptr};
  std::atomic<bool> owner_waits_{false};
  scope* scope_ = nullptr;      // the owner's
  open_tasks* next_ = nullptr;  // that was begun there
  std::optional<bound_here> bound_;
  doall_group group_{};
  std::mutex mutex_;
  waiting_task* others_ = nullptr;
};

// Runs f() as a task of that group.
template <class Function>
void run_task(open_tasks& of, arena_slots* arena, Function&& f) {
  task_group_context& context = of.context();
  {
    const inside part(&context, arena);
    const running_task mine{&of, innermost_task};
    innermost_task = &mine;
    try {
      if (context.is_group_execution_cancelled()) {
      } else if constexpr (std::is_invocable_v<const std::decay_t<Function>&>) {
        std::as_const(f)();  // as oneTBB calls it, if that can be
      } else {
        f();
      }
    } catch (...) {
      context.keep_failure();
    }
    innermost_task = mine.around;
  }
}

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
