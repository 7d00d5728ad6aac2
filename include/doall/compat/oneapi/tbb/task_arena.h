// task_arena: how many threads the algorithms have that are started in it, and their numbers.
#ifndef DOALL_COMPAT_TASK_ARENA_H
#define DOALL_COMPAT_TASK_ARENA_H

#include "detail/arena.h"
#include "info.h"
#include "task_group.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

template <class>
inline constexpr bool is_left_out = false;

// In an arena of so many threads; not positive: of all that there are. An arena that this one is in
// does not limit it, the loops that it is in do.
class inside_arena : inside {
 public:
  inside_arena(arena_slots* arena, int threads)
      : inside_arena(arena, threads,
                     here.threads_around != 0 ? here.threads_around : doall_threads()) {}
  ~inside_arena() { leave_groups(); }

 private:
  inside_arena(arena_slots* arena, int threads, std::uint32_t around)
      : inside(here.algorithm, arena),
        workers_(threads > 0 ? std::min(static_cast<std::uint32_t>(threads), around) : around) {
    here.threads_around = around;
  }
  with_workers workers_;
};

}  // namespace detail

// All arenas share libdoall's threads: execute() limits how many of them help, and no thread waits
// for a place. Constraints and priorities are accepted and do nothing else; thread masks are
// doall's settings (docs/guide/settings.md).
class task_arena {
 public:
  static const int automatic = -1;
  static const int not_initialized = -2;
  enum class priority : int { low = 1, normal = 2, high = 3 };
  using attach = tbb::attach;
  using constraints = tbb::constraints;

  explicit task_arena(int max_concurrency = automatic, unsigned = 1, priority = priority::normal)
      : most_(max_concurrency) {}
  explicit task_arena(const constraints& asked, unsigned = 1, priority = priority::normal)
      : most_(asked.max_concurrency) {}
  explicit task_arena(attach) : most_(static_cast<int>(detail::threads_here())), is_active_(true) {}
  task_arena(const task_arena& other) : most_(other.most_) {}

  void initialize() { activate(); }
  void initialize(int max_concurrency, unsigned = 1, priority = priority::normal) {
    if (is_active()) return;
    most_ = max_concurrency;
    activate();
  }
  void initialize(const constraints& asked, unsigned = 1, priority = priority::normal) {
    initialize(asked.max_concurrency);
  }
  void initialize(attach) { activate(); }
  void terminate() {
    // (1) relaxed; alone: an answer to is_active(), and nothing else
    is_active_.store(false, std::memory_order_relaxed);
  }
  bool is_active() const {
    // (2) relaxed; alone: as (1)
    return is_active_.load(std::memory_order_relaxed);
  }
  int max_concurrency() const { return most_ > 0 ? most_ : info::default_concurrency(); }

  // Runs f on this thread and returns what it returns.
  template <class Function>
  auto execute(Function&& f) -> decltype(std::forward<Function>(f)()) {
    activate();
    const detail::inside_arena part(slots_.get(), most_);
    return std::forward<Function>(f)();
  }

  template <class Function>
  void enqueue(Function&&) {
    static_assert(detail::is_left_out<Function>,
                  "task_arena::enqueue is not in doall/compat: its tasks would need threads that "
                  "nobody waits for. Give them to a task_group, or to a std::thread");
  }

 private:
  // Any number of threads may execute() at once.
  void activate() {
    // (3) relaxed; alone: as (1)
    is_active_.store(true, std::memory_order_relaxed);
  }

  int most_;
  std::atomic<bool> is_active_{false};
  const detail::held_slots slots_ = detail::held_slots::make();
};

namespace this_task_arena {

// As any other thread's waits do: one that waits in doall runs only what descends from its own
// algorithm.
template <class Function>
auto isolate(Function&& f) -> decltype(std::forward<Function>(f)()) {
  return std::forward<Function>(f)();
}

inline int current_thread_index() { return static_cast<int>(detail::slot_here()); }
inline int max_concurrency() { return static_cast<int>(detail::threads_here()); }

template <class Function>
void enqueue(Function&&) {
  static_assert(detail::is_left_out<Function>,
                "this_task_arena::enqueue is not in doall/compat: give the task to a task_group, "
                "or to a std::thread");
}

}  // namespace this_task_arena
}  // namespace doall_v0
}  // namespace tbb

#endif
