// task_group_context: what can be cancelled together.
#ifndef DOALL_COMPAT_CONTEXT_H
#define DOALL_COMPAT_CONTEXT_H

#include "base.h"

#include <exception>
#include <utility>

namespace tbb {
inline namespace doall_v0 {

class task_group_context;

namespace detail {

class arena_slots;
class open_tasks;
struct scope;

// Where a thread is: in a piece of which algorithm, for whose threads, and which groups of tasks
// were begun there.
struct place {
  task_group_context* context = nullptr;
  arena_slots* arena = nullptr;
  scope* in = nullptr;
};
[[gnu::visibility("hidden")]] inline thread_local place here;

struct no_context {};
class bound_here;

}  // namespace detail

// Algorithms that are given the same context, and those that they start, are cancelled together: no
// further piece of them begins. So do exceptions: the first one cancels the context, and is thrown
// again by the algorithm that it left. A context that is not isolated is cancelled with the one
// around it, in whose iteration its algorithm was started.
//
// A cancelled context stays so until reset(), and algorithms that are given it run nothing.
class task_group_context {
 public:
  enum kind_type { isolated, bound };
  enum traits_type { fp_settings = 2, concurrent_wait = 4, default_traits = 0 };

  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits)
      : kind_(kind), traits_(traits) {}
  ~task_group_context() = default;
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;

  // Whether this call has cancelled it. False for one that is cancelled.
  bool cancel_group_execution() {
    // (7) relaxed; alone: as (1)
    return !cancelled_.exchange(true, std::memory_order_relaxed);
  }
  bool is_group_execution_cancelled() const {
    // (1) relaxed; alone: a hint. Results and exceptions are read when the loop was joined
    if (cancelled_.load(std::memory_order_relaxed)) return true;
    // (2) acquire; pairs with (3): the parent
    const task_group_context* const parent = parent_.load(std::memory_order_acquire);
    return parent != nullptr && parent->is_group_execution_cancelled();
  }
  // No algorithm uses it meanwhile.
  void reset() {
    // (8) relaxed; alone: as the next one, only its caller uses it
    cancelled_.store(false, std::memory_order_relaxed);
    // (9) relaxed; alone: as (8)
    is_failed_.store(false, std::memory_order_relaxed);
    failure_ = nullptr;
  }
  // Threads of doall keep the floating-point settings that they have.
  void capture_fp_settings() {}
  std::uintptr_t traits() const { return traits_; }

  // For these headers alone. Called in a handler: keeps the first exception, and cancels.
  void keep_failure() {
    if (!cancel_group_execution()) return;
    failure_ = std::current_exception();
    // (4) release; pairs with (5): the exception
    is_failed_.store(true, std::memory_order_release);
  }
  std::exception_ptr failure() const {
    // (5) acquire; pairs with (4): the exception
    return is_failed_.load(std::memory_order_acquire) ? failure_ : nullptr;
  }
  void rethrow() const {
    if (const std::exception_ptr its = failure()) std::rethrow_exception(its);
  }

 private:
  friend class detail::bound_here;

  const kind_type kind_;
  const std::uintptr_t traits_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> is_failed_{false};
  std::atomic<task_group_context*> parent_{nullptr};
  std::exception_ptr failure_;
};

namespace detail {

// While an algorithm runs its context hangs below the one around it.
class bound_here {
 public:
  explicit bound_here(task_group_context& context) : context_(context) {
    task_group_context* const around = here.context;
    if (context.kind_ == task_group_context::isolated || around == nullptr || around == &context)
      return;
    task_group_context* none = nullptr;
    // (3) release; pairs with (2): the parent
    is_mine_ = context.parent_.compare_exchange_strong(none, around, std::memory_order_release,
                                                       std::memory_order_relaxed);
  }
  ~bound_here() {
    if (!is_mine_) return;
    // What it was cancelled with may be gone when it is asked again.
    if (context_.is_group_execution_cancelled()) context_.cancel_group_execution();
    // (6) relaxed; alone: nobody else uses it any more
    context_.parent_.store(nullptr, std::memory_order_relaxed);
  }
  bound_here(const bound_here&) = delete;
  bound_here& operator=(const bound_here&) = delete;

 private:
  task_group_context& context_;
  bool is_mine_ = false;
};

}  // namespace detail

inline bool is_current_task_group_canceling() {
  return detail::here.context != nullptr && detail::here.context->is_group_execution_cancelled();
}

}  // namespace doall_v0
}  // namespace tbb

#endif
