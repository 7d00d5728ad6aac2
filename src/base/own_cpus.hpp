// How many CPUs the calling thread may run on.
#pragma once

#include <sched.h>

#include <cstdint>

namespace doall::base {

// 0: the mask cannot be read. The kernel refuses masks that are shorter than its own, which may
// have more CPUs than a cpu_set_t.
inline std::uint32_t count_own_cpus() {
  constexpr std::size_t sets = 64;  // of 1,024 CPUs
  cpu_set_t mask[sets];
  if (sched_getaffinity(0, sizeof mask, mask) != 0) return 0;
  return static_cast<std::uint32_t>(CPU_COUNT_S(sizeof mask, mask));
}

}  // namespace doall::base
