// task_group_context: what can be cancelled together.
//
// What is around an algorithm is a matter of its place, not of its context: a context may be used
// by several threads at once, used again inside itself, and outlive what was around it. So pieces
// look at *bindings*: an algorithm that runs with a context, and the binding around it. A binding
// lies on the stack of the algorithm's caller, or in its group of tasks, and lives as long as its
// pieces. The binding around it lives longer, since it has a piece that waits for this one. So the
// walk outwards is safe, and ends: each binding is younger than the next.
//
// Cost. A cancellation sets its context's flag and counts itself, in a count of the whole process.
// A look reads its own flag and that count. Only if the count has changed since the last look does
// it walk outwards, up to a binding that has looked at this count already. So each binding is
// passed once a cancellation, however deep algorithms are nested.
//
// Why no cancellation is missed: (7) comes before (2), so a look that reads that count (3) sees the
// flag; a look that reads an older count keeps that one as seen, and will walk when (3) reads the
// newer one.
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
class binding;
struct begun_group;
struct scope;

// Where a thread is: in a piece of which algorithm, for whose threads, and which groups of tasks
// were begun there.
struct place {
  const binding* algorithm = nullptr;
  arena_slots* arena = nullptr;
  scope* in = nullptr;
  std::uint32_t threads_around = 0;  // in an arena: as many as if it were in none; 0: in no arena
};
[[gnu::visibility("hidden")]] inline thread_local place here;

// What all shared libraries of the process count together.
[[gnu::visibility("hidden")]] inline std::atomic<doall_process_counts*> known_counts{nullptr};
inline doall_process_counts& process_counts() {
  // (10) relaxed; alone: libdoall's, which is there from the beginning
  doall_process_counts* known = known_counts.load(std::memory_order_relaxed);
  if (known == nullptr) {
    known = doall_counts_here();
    // (11) relaxed; alone: as (10); all store the same
    known_counts.store(known, std::memory_order_relaxed);
  }
  return *known;
}

inline std::uint64_t count_one(std::uint64_t& in, std::memory_order order) {
  return __atomic_fetch_add(&in, 1, static_cast<int>(order));
}
inline std::uint64_t count_in(const std::uint64_t& in, std::memory_order order) {
  return __atomic_load_n(&in, static_cast<int>(order));
}

inline void count_cancellation() {
  // (2) release; pairs with (3): the flags that were set before
  count_one(process_counts().cancellations, std::memory_order_release);
}
inline std::uint64_t cancellations() {
  // (3) acquire; pairs with (2): as there
  return count_in(process_counts().cancellations, std::memory_order_acquire);
}

bool is_cancelled_here(const task_group_context& context);

}  // namespace detail

// Algorithms that are given the same context, and those that they start, are cancelled together: no
// further piece of them begins. So do exceptions: the first one cancels the context, and is thrown
// again by the algorithm that it left. A bound context is cancelled with what is around its
// algorithms, if there was something around the first of them; else it is isolated from then on.
//
// A cancelled context stays so until reset(), and algorithms that are given it run nothing.
class task_group_context {
 public:
  enum kind_type { isolated, bound };
  enum traits_type { fp_settings = 2, concurrent_wait = 4, default_traits = 0 };

  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits)
      : traits_(traits), ties_(kind == bound ? ties::unknown : ties::none) {}
  ~task_group_context() = default;
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;

  // Whether this call has cancelled it. False for one that is cancelled.
  bool cancel_group_execution() {
    if (!set_cancelled()) return false;
    detail::count_cancellation();
    return true;
  }
  // In a piece of one of its algorithms: also whether what is around that is cancelled. Elsewhere
  // that is seen when a piece has seen it.
  bool is_group_execution_cancelled() const {
    return is_cancelled_itself() || detail::is_cancelled_here(*this);
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
  bool is_cancelled_itself() const {
    // (1) relaxed; alone: a hint. Results and exceptions are read when the loop was joined
    return cancelled_.load(std::memory_order_relaxed);
  }

 private:
  friend class detail::binding;
  // Whether what is around its algorithms cancels it.
  enum class ties : std::uint8_t { unknown, some, none };

  // Whether this call has.
  bool set_cancelled() {
    // (7) relaxed; alone: (2) publishes it
    return !cancelled_.exchange(true, std::memory_order_relaxed);
  }

  // Called as an algorithm begins.
  bool is_tied(bool is_nested) {
    // (6) relaxed; alone: the first algorithm decides, for good
    ties now = ties_.load(std::memory_order_relaxed);
    if (now == ties::unknown) {
      const ties here = is_nested ? ties::some : ties::none;
      // (12) relaxed; alone: as (6)
      if (ties_.compare_exchange_strong(now, here, std::memory_order_relaxed)) now = here;
    }
    return now == ties::some;
  }

  const std::uintptr_t traits_;
  std::atomic<ties> ties_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> is_failed_{false};
  std::exception_ptr failure_;
};

namespace detail {

// A context, and what is around where it is used.
class binding {
 public:
  explicit binding(task_group_context& context)
      : context_(context),
        around_(context.is_tied(here.algorithm != nullptr) ? here.algorithm : nullptr) {}
  binding(const binding&) = delete;
  binding& operator=(const binding&) = delete;

  task_group_context& context() const { return context_; }
  const binding* around() const { return around_; }

  // Whether the context is cancelled, or one around it: then it is, too.
  bool is_cancelled() const {
    if (context_.is_cancelled_itself()) return true;
    const std::uint64_t now = cancellations();
    // (13) relaxed; alone: says something of that count, which this thread has read itself
    return now != clean_at_.load(std::memory_order_relaxed) && look_around(now);
  }

 private:
  [[gnu::noinline]] bool look_around(std::uint64_t now) const {
    const binding* at = this;
    for (; at != nullptr; at = at->around_) {
      if (at->context_.is_cancelled_itself()) return cancel_inside(*at);
      // (14) relaxed; alone: as (13)
      if (at->clean_at_.load(std::memory_order_relaxed) == now) break;
    }
    for (const binding* b = this; b != at; b = b->around_)
      // (15) relaxed; alone: as (13)
      b->clean_at_.store(now, std::memory_order_relaxed);
    return false;
  }
  bool cancel_inside(const binding& cancelled) const {
    bool is_news = false;
    for (const binding* b = this; b != &cancelled; b = b->around_)
      is_news |= b->context_.set_cancelled();
    if (is_news) count_cancellation();
    return true;
  }

  task_group_context& context_;
  const binding* const around_;
  // This one and all around it were not cancelled when there had been so many cancellations.
  mutable std::atomic<std::uint64_t> clean_at_{0};
};

// That of an algorithm which its caller waits for. At its end it tells the context what has
// happened around it.
class bound_here : public binding {
 public:
  using binding::binding;
  ~bound_here() { static_cast<void>(is_cancelled()); }
};

// Whether this thread is in a piece of an algorithm with that context, which is cancelled by what
// is around.
inline bool is_cancelled_here(const task_group_context& context) {
  if (cancellations() == 0) return false;
  for (const binding* b = here.algorithm; b != nullptr; b = b->around())
    if (&b->context() == &context) return b->is_cancelled();
  return false;
}

}  // namespace detail

inline bool is_current_task_group_canceling() {
  return detail::here.algorithm != nullptr && detail::here.algorithm->is_cancelled();
}

}  // namespace doall_v0
}  // namespace tbb

#endif
