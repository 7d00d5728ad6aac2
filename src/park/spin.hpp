// Waiting on the core, for a bounded time.
//
// The clock is read between rounds of looks, not between looks: a pause takes 10 to 50 ns, reading
// the clock 25. A wait that ends in the first round never reads it, so a loop that follows
// immediately is not delayed by it.
//
// Spinning is a bet that the wait is short and that no other thread wants the core. A preempted
// spinner has lost it. So when the clock has jumped between two looks, the spin ends and reports
// the preemption.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/sync.hpp"
#include "park/pause.hpp"

namespace doall::park {

// A round takes 0.5 to 3 us. An interrupt may lengthen it tenfold; another thread on the core takes
// at least a good part of its time slice, 0.7 to 4 ms on Linux.
inline constexpr int looks_a_round = 32;
inline constexpr std::uint64_t preempted_ns = 100'000;

struct spun {
  bool ready = false;
  bool preempted = false;
  std::uint64_t ns = 0;  // how long; 0: less than a round

  explicit operator bool() const { return ready; }
};

// Looks until ready(), or for about spin_ns and at most two rounds more, or until it is preempted.
// Looks once if spin_ns is 0.
template <class Ready>
spun spin(Ready ready, std::uint64_t spin_ns) {
  if (ready()) return {.ready = true};
  if (spin_ns == 0) return {};
  for (int i = 0; i < looks_a_round; ++i) {
    sync::relax();
    if (ready()) return {.ready = true};
  }
  const std::uint64_t began_ns = base::now_ns();
  for (std::uint64_t looked_ns = began_ns;;) {
    bool done = false;
    for (int i = 0; i < looks_a_round && !done; ++i) {
      long_pause();
      done = ready();
    }
    const std::uint64_t now_ns = base::now_ns();
    const bool preempted = now_ns - looked_ns > preempted_ns;
    if (done || preempted || now_ns - began_ns >= spin_ns) {
      return {.ready = done, .preempted = preempted, .ns = now_ns - began_ns};
    }
    looked_ns = now_ns;
  }
}

}  // namespace doall::park
