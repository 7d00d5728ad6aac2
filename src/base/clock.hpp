// Time, in two grades: ticks() is cheap enough to be read twice for each chunk; now_ns() is the
// system's monotonic clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "doall/detail/processor.hpp"

namespace doall::base {

inline std::uint64_t now_ns() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

// A counter of constant rate, the same on every core (the invariant TSC of
// x86-64, the virtual counter of AArch64; elsewhere nanoseconds).
#if defined(__x86_64__) || defined(__aarch64__)
using detail::ticks;
#else
inline std::uint64_t ticks() { return now_ns(); }
#endif

// How long a tick is, as far as the processor says it; else 1, which is longer than a tick of x86.
// AArch64's counters run at 1 GHz, as of Armv8.6, or as slowly as 19 MHz: then a tick is 52 ns.
inline double nominal_tick_ns() {
#if defined(__aarch64__)
  std::uint64_t frequency_hz;
  asm("mrs %0, cntfrq_el0" : "=r"(frequency_hz));
  if (frequency_hz != 0) return 1e9 / static_cast<double>(frequency_hz);
#endif
  return 1.0;
}

// What a reading of ticks() takes, of a few the fastest.
inline std::uint64_t ticks_of_reading() {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t before = ticks();
  for (int n = 0; n < 32; ++n) {
    const std::uint64_t now = ticks();
    least = std::min(least, now - before);
    before = now;
  }
  return std::max<std::uint64_t>(least, 1);
}

// Turns ticks into nanoseconds. Measures the rate over the object's whole life, so it costs nothing
// until it is used, and is exact when used late.
class tick_scale {
 public:
  tick_scale() : ticks_(ticks()), ns_(now_ns()) {}

  double ns_per_tick() const {
    const double elapsed_ns = static_cast<double>(now_ns() - ns_);
    const double elapsed_ticks = static_cast<double>(ticks() - ticks_);
    return elapsed_ticks > 0 ? elapsed_ns / elapsed_ticks : 1.0;
  }

 private:
  std::uint64_t ticks_;
  std::uint64_t ns_;
};

}  // namespace doall::base
