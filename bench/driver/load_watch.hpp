// How much of the machine other programs use while something is measured.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/contenders.hpp"

namespace doall::bench {

class load_watch {
 public:
  // From now on. `present` outlives it.
  explicit load_watch(const std::vector<contender>& present);

  // Of all CPUs' time since, what neither this program nor the lanes used.
  double others_share() const;

 private:
  std::uint64_t own_cpu_ns() const;

  const std::vector<contender>& present_;
  std::uint64_t begin_ns_;
  std::uint64_t busy_ns_;
  std::uint64_t own_ns_;
};

// For people, with what to do about it.
std::string load_text(double others_share);

}  // namespace doall::bench
