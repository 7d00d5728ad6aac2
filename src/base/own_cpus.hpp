// Which CPUs the calling thread may run on.
#pragma once

#include <sched.h>

#include <array>
#include <cstdint>

namespace doall::base {

// The kernel refuses masks that are shorter than its own, which may have more CPUs than a
// cpu_set_t, and does not say how many. No Linux has as many as this.
struct own_cpus {
  std::array<cpu_set_t, 64> sets;

  // False: they cannot be read.
  bool read() { return sched_getaffinity(0, sizeof sets, sets.data()) == 0; }
};

// 0: the mask cannot be read.
inline std::uint32_t count_own_cpus() {
  own_cpus all;
  if (!all.read()) return 0;
  return static_cast<std::uint32_t>(CPU_COUNT_S(sizeof all.sets, all.sets.data()));
}

}  // namespace doall::base
