// How many threads an algorithm has, and their numbers.
#ifndef DOALL_COMPAT_ARENA_H
#define DOALL_COMPAT_ARENA_H

#include "context.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// The limit that global_control has set; 0: none.
[[gnu::visibility("hidden")]] inline std::atomic<std::uint32_t> most_threads{0};

// As many workers as that for what this thread starts, if it would have more.
class workers_at_most {
 public:
  explicit workers_at_most(std::uint32_t most) {
    if (most == 0 || doall_threads() <= most) return;
    before_ = doall_set_threads(most);
    is_set_ = true;
  }
  ~workers_at_most() {
    if (is_set_) doall_set_threads(before_);
  }
  workers_at_most(const workers_at_most&) = delete;
  workers_at_most& operator=(const workers_at_most&) = delete;

 private:
  std::uint32_t before_ = 0;
  bool is_set_ = false;
};

// Under global_control's limit.
class limited : workers_at_most {
 public:
  // (1) relaxed; alone: the limit is a number
  limited() : workers_at_most(most_threads.load(std::memory_order_relaxed)) {}
};

inline std::uint32_t threads_here() {
  const std::uint32_t threads = doall_threads();
  // (5) relaxed; alone: as (1)
  const std::uint32_t most = most_threads.load(std::memory_order_relaxed);
  return most != 0 && most < threads ? most : threads;
}

// Numbers for the threads that work for one caller at a time: the one that the thread had last, or
// the lowest that is free, when a thread first asks; free again when the thread leaves.
class arena_slots {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

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
    // (4) release; pairs with (3), (6): as there
    taken_[number / 64].fetch_and(~(std::uint64_t{1} << number % 64), std::memory_order_release);
  }

 private:
  std::array<std::atomic<std::uint64_t>, 17> taken_{};  // 1,024 workers and some callers
};

// The number that this thread had last.
[[gnu::visibility("hidden")]] inline thread_local std::uint32_t last_slot = arena_slots::none;

// The threads of a caller that is in no arena.
[[gnu::visibility("hidden")]] inline thread_local arena_slots own_slots;

inline arena_slots& arena_here() { return here.arena != nullptr ? *here.arena : own_slots; }

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
    here = {algorithm, arena, &mine_};
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
