// When a waiter that was preempted may spin again.
//
// For a while after it was preempted a waiter does not spin: another thread wants the core, and the
// spin uses up CPU time with which the work could run.
//
// For how long: spinning too early costs a time slice of the other thread's, 3 ms or so; sleeping
// in vain costs some 10 us for each loop. 1 ms outlasts an interrupt or a thread with a short task,
// and is no great loss in a quiet program. Who is preempted again within 20 ms is beside a thread
// that stays: four times as long as the last time, and 16 times what was lost, so that trying takes
// no larger part; up to 320 ms, of which it takes a hundredth.
//
// Plain values of the one thread that waits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace doall::park {

class stand_off {
 public:
  static constexpr std::uint64_t shortest_ns = 1'000'000;
  static constexpr std::uint64_t longest_ns = 320'000'000;
  static constexpr std::uint64_t follows_ns = 20'000'000;

  // How long the next one is, now that a thread was preempted for `lost_ns`; the last one, of that
  // length, ended then.
  static constexpr std::uint64_t next_length(std::uint64_t last_ns, std::uint64_t ended_ns,
                                             std::uint64_t now_ns, std::uint64_t lost_ns) {
    const bool soon = last_ns != 0 && now_ns < ended_ns + std::max(last_ns, follows_ns);
    if (!soon) return shortest_ns;
    return std::min(std::max(4 * last_ns, 16 * std::min(lost_ns, longest_ns)), longest_ns);
  }

  // Reads the clock only after a recent preemption. The clock is a parameter for tests in virtual
  // time.
  template <class Clock>
  bool holds(Clock now_ns) {
    holds_ = holds_ && now_ns() < until_ns_;
    return holds_;
  }

  template <class Clock>
  void learn(bool was_preempted, Clock now_ns) {
    if (!was_preempted) return;
    const std::uint64_t now = now_ns();
    length_ns_ = next_length(length_ns_, until_ns_, now, 0);
    until_ns_ = now + length_ns_;
    holds_ = true;
  }

 private:
  bool holds_ = false;
  std::uint64_t until_ns_ = 0;
  std::uint64_t length_ns_ = 0;
};

}  // namespace doall::park
