// How many threads an algorithm has, and their numbers.
#ifndef DOALL_COMPAT_ARENA_H
#define DOALL_COMPAT_ARENA_H

#include "context.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// The limit that global_control has set; 0: none.
[[gnu::visibility("hidden")]] inline std::atomic<std::uint32_t> most_threads{0};

// So many workers for what this thread starts; 0: as many as it has.
class with_workers {
 public:
  explicit with_workers(std::uint32_t workers) {
    if (workers == 0 || workers == doall_threads()) return;
    before_ = doall_set_threads(workers);
    is_set_ = true;
  }
  ~with_workers() {
    if (is_set_) doall_set_threads(before_);
  }
  with_workers(const with_workers&) = delete;
  with_workers& operator=(const with_workers&) = delete;

 private:
  std::uint32_t before_ = 0;
  bool is_set_ = false;
};

inline std::uint32_t threads_here() {
  const std::uint32_t threads = doall_threads();
  // (1) relaxed; alone: the limit is a number
  const std::uint32_t most = most_threads.load(std::memory_order_relaxed);
  return most != 0 && most < threads ? most : threads;
}

// Under global_control's limit.
class limited : with_workers {
 public:
  // (10) relaxed; alone: as (1)
  limited()
      : with_workers(most_threads.load(std::memory_order_relaxed) != 0 ? threads_here() : 0) {}
};

// Numbers for the threads that work for one caller at a time: the one that the thread had last, or
// the lowest that is free, when a thread first asks; free again when the thread leaves. They are a
// thread's own, or shared (held_slots): an arena may end before tasks that were given in it. On
// cache lines of their own: all threads of a loop ask who holds them.
class alignas(128) arena_slots {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  constexpr arena_slots() = default;

  std::uint32_t take(std::uint32_t last) {
    if (last != none) {
      const std::uint64_t bit = std::uint64_t{1} << last % 64;
      // (6) acquire; pairs with (4): as (3)
      if ((taken_[last / 64].fetch_or(bit, std::memory_order_acquire) & bit) == 0) return last;
    }
    for (std::uint32_t word = 0; word < taken_.size(); ++word) {
      // (2) relaxed; alone: (3) looks again
      std::uint64_t now = taken_[word].load(std::memory_order_relaxed);
      while (now != ~std::uint64_t{0}) {
        const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(~now));
        // (3) acquire; pairs with (4): what the number's last thread did with what it indexes
        if (taken_[word].compare_exchange_weak(now, now | std::uint64_t{1} << bit,
                                               std::memory_order_acquire,
                                               std::memory_order_relaxed))
          return word * 64 + bit;
      }
    }
    return none;
  }
  void give(std::uint32_t number) {
    if (number == none) return;
    // (4) release; pairs with (3), (6): as there
    taken_[number / 64].fetch_and(~(std::uint64_t{1} << number % 64), std::memory_order_release);
  }

 private:
  friend class held_slots;
  std::array<std::atomic<std::uint64_t>, 17> taken_{};  // 1,024 workers and some callers
  std::atomic<std::uint32_t> holders_{0};               // 0: a thread's own
};

// Keeps slots that are shared.
class held_slots {
 public:
  static held_slots make() {
    held_slots made;
    made.its_ = new arena_slots;
    // (5) relaxed; alone: nobody else has them yet
    made.its_->holders_.store(1, std::memory_order_relaxed);
    return made;
  }
  held_slots() = default;
  // Null, or slots that somebody holds, or that are a thread's own and stay.
  explicit held_slots(arena_slots* its) : its_(its) {
    if (is_shared())
      // (7) relaxed; alone: the caller, or what it is in, holds them
      its_->holders_.fetch_add(1, std::memory_order_relaxed);
  }
  held_slots(held_slots&& other) noexcept : its_(std::exchange(other.its_, nullptr)) {}
  held_slots& operator=(held_slots&& other) noexcept {
    std::swap(its_, other.its_);
    return *this;
  }
  ~held_slots() {
    // (8) acq_rel; pairs with (8): what other holders did with them
    if (is_shared() && its_->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete its_;
  }

  arena_slots* get() const { return its_; }
  bool is_shared() const {
    // (9) relaxed; alone: those of an arena have a holder, this one; a thread's own never have
    return its_ != nullptr && its_->holders_.load(std::memory_order_relaxed) != 0;
  }

 private:
  arena_slots* its_ = nullptr;
};

// The number that this thread had last.
[[gnu::visibility("hidden")]] inline thread_local std::uint32_t last_slot = arena_slots::none;

// The threads of a caller that is in no arena.
[[gnu::visibility("hidden")]] inline thread_local arena_slots own_slots;

inline arena_slots& arena_here() { return here.arena != nullptr ? *here.arena : own_slots; }

// Those of the task_arena that this thread is in, if it is in one, for a task that is given here.
inline held_slots named_arena_here() {
  held_slots its(here.arena);
  return its.is_shared() ? std::move(its) : held_slots();
}

// A stretch of a thread's code: a piece of an algorithm, or a task. Groups that are begun in it are
// waited for when it ends (group.h).
struct scope {
  std::uint32_t slot = arena_slots::none;
  arena_slots* slot_of = nullptr;  // whose number it is
  begun_group* groups = nullptr;
  // Waits for the groups, or leaves them to another stretch of this thread's code.
  void (*end_groups)(scope& from, scope* to) = nullptr;
};
[[gnu::visibility("hidden")]] inline thread_local scope outermost;

inline scope& scope_here() { return here.in != nullptr ? *here.in : outermost; }

// A thread enters a piece of an algorithm for an arena, and leaves it.
class inside {
 public:
  inside(const binding* algorithm, arena_slots* arena) : before_(here) {
    // A thread has one number in an arena.
    if (scope& around = scope_here(); around.slot_of == arena) {
      mine_.slot = around.slot;
      mine_.slot_of = arena;
      is_kept_ = true;
    }
    here = {algorithm, arena, &mine_, 0};
  }
  ~inside() {
    if (mine_.groups != nullptr) mine_.end_groups(mine_, nullptr);
    here = before_;
    if (mine_.slot_of != nullptr && !is_kept_) mine_.slot_of->give(mine_.slot);
  }
  inside(const inside&) = delete;
  inside& operator=(const inside&) = delete;

 protected:
  // Not at the end of an iteration or a task: groups that were begun in it live on.
  void leave_groups() {
    scope* const around = before_.in != nullptr ? before_.in : &outermost;
    if (mine_.groups != nullptr) mine_.end_groups(mine_, around);
  }

 private:
  place before_;
  scope mine_;
  bool is_kept_ = false;
};

// This thread's number in its arena: below the number of threads, and no other thread's meanwhile.
inline std::uint32_t slot_here() {
  scope& in = scope_here();
  arena_slots& arena = arena_here();
  if (in.slot_of != &arena) {
    in.slot = arena.take(last_slot < threads_here() ? last_slot : arena_slots::none);
    last_slot = in.slot;
    in.slot_of = &arena;
  }
  return in.slot;
}

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
