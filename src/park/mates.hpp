// Who shares a spinning thread's CPU, as its own waits have shown.
//
// Beside another program that computes, the kernel often puts two threads of a team on one CPU.
// Then each spins for a whole time slice while the other, for which it waits, is next in line. So a
// waiter that gives way (spin.hpp) yields its CPU after a few microseconds, and what comes of it
// tells it who is there:
//
//   soon back, and what it waits for holds    a mate: the next waits begin with a yield
//   soon back                                 nobody, or one that is waited for by none: spin on
//   back after a time slice                   another program: sleep; for a while do not yield, nor
//                                             spin for longer than a round of looks (stand_off.hpp)
//
// The last is so, too, when the thread finds itself preempted while it spins. Its process hears of
// it (contention.hpp).
//
// Plain values of the one thread that waits. Cost: a wait of a few microseconds touches none.
#pragma once

#include <cstdint>

#include "park/stand_off.hpp"

namespace doall::park {

class mates {
 public:
  // In a wait as long as that the thread begins to yield. Barriers of threads that run take less.
  static constexpr std::uint64_t alone_ns = 5'000;

  // Whether a wait begins with a yield.
  bool are_here() const { return are_here_; }

  // Whether the thread sleeps instead of spinning.
  template <class Clock>
  bool are_strangers(Clock now_ns) {
    return strangers_.holds(now_ns);
  }

  // The thread was preempted while it spun: strangers want its CPU.
  template <class Clock>
  void expect_strangers(Clock now_ns) {
    learn(false, true, now_ns);
  }

  // After a yield: whether the wait is over, and whether another thread had the CPU for long.
  template <class Clock>
  void learn(bool ready, bool preempted, Clock now_ns) {
    are_here_ = ready && !preempted;
    strangers_.learn(preempted, now_ns);
  }

 private:
  bool are_here_ = false;
  stand_off strangers_;
};

// The calling thread's.
inline constinit thread_local mates mates_here;

}  // namespace doall::park
