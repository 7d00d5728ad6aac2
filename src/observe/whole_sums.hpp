// What a site sums over all its executions that are not in ledgers, whether they were counted in
// detail or as wholes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace doall::observe {

struct whole_sums {
  std::uint64_t calls = 0;
  std::uint64_t iterations = 0;
  std::uint64_t wall_ticks = 0;
  std::uint64_t capacity_ticks = 0;
  std::uint64_t elapsed_ticks = 0;
  std::uint64_t in_regions_ticks = 0;

  void add(std::uint64_t ticks, std::uint32_t workers, std::uint32_t outer_threads) {
    calls += 1;
    wall_ticks += ticks;
    capacity_ticks += ticks * workers;
    elapsed_ticks += ticks / std::max(1U, outer_threads);
    if (outer_threads != 0) in_regions_ticks += ticks;
  }
};

}  // namespace doall::observe
