// How often a thread steals tasks: seldom while those that it has stolen took less time than a
// theft.
//
// A theft moves the lines of a task from its maker's core to the thief's and back, some 200 ns of
// either one's time. If a task is shorter, its maker executes it in less: of a million tasks of 25
// ns each took 210 ns with one thief, 34 by the maker alone. So a thief of such tasks rests after
// each, the longer the shorter they are. The maker's deque fills meanwhile, and it executes what it
// makes. The one task in a rest that is stolen says whether they have become longer.
//
// A mean decides, which each task moves by a 64th. So one dear task among a few dozen cheap ones is
// noticed, and a thread that was interrupted once is soon believed no longer. A task counts by its
// own time, with all that it waits for; and as a long one if it has left tasks to its thief, who
// then need not come back.
//
// The loss is bounded: a task lies for one rest, of 100 us at most, while a thread is idle.
//
// Values of one thread; but whether it rests it may ask late, when they are another one's already
// (place::wanted() in tasks/task_team.cpp), and end that one's rest. The clock is a parameter for
// tests in virtual time.
// What was measured: docs/investigations/2026-11-30-thefts-of-short-tasks.md.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/sync.hpp"

namespace doall::deque {

class theft_pace {
 public:
  // What a theft takes: a task of that length gains nothing by one.
  explicit constexpr theft_pace(std::uint64_t theft_ns)
      : theft_ns_(theft_ns), sum_ns_(weight * 2 * theft_ns) {}

  // Reads the clock in a rest alone.
  template <class Clock>
  bool rests(Clock now_ns) {
    // (1) relaxed; alone: a time
    const std::uint64_t until_ns = until_ns_.load(sync::relaxed);
    if (until_ns == 0) [[likely]]
      return false;
    if (now_ns() < until_ns) return true;
    rest_until(0);
    return false;
  }

  // What the thread has found is left to its owner until then.
  void rest_until(std::uint64_t until_ns) {
    // (2) relaxed; alone: as (1)
    until_ns_.store(until_ns, sync::relaxed);
  }

  // The code of a stolen task has ended after `ran_ns`. `leaves_tasks`: in this thread's deque.
  // `threads`: that work on such tasks, with their maker.
  void learn(std::uint64_t ran_ns, bool leaves_tasks, std::uint64_t now_ns, std::uint32_t threads) {
    const std::uint64_t long_ns = weight * 2 * theft_ns_;
    const std::uint64_t counted_ns = leaves_tasks ? long_ns : std::min(ran_ns, long_ns);
    sum_ns_ = sum_ns_ - sum_ns_ / weight + counted_ns;
    const std::uint64_t mean_ns = sum_ns_ / weight;
    if (mean_ns >= theft_ns_ || threads < 2) return rest_until(0);
    const std::uint64_t rest_ns = (threads - 1) * rests_a_lack * (theft_ns_ - mean_ns);
    rest_until(now_ns + std::min(rest_ns, longest_rest_ns));
  }

 private:
  static constexpr std::uint64_t weight = 64;
  // A rest is so many times what tasks lack of a theft, for each thread that may steal: all of them
  // together take a thirtieth of a maker's time.
  static constexpr std::uint64_t rests_a_lack = 32;
  static constexpr std::uint64_t longest_rest_ns = 100'000;

  std::uint64_t theft_ns_;
  std::uint64_t sum_ns_;                     // of the last `weight` tasks, as it were
  sync::atomic<std::uint64_t> until_ns_{0};  // of a rest; 0: none
};

}  // namespace doall::deque
