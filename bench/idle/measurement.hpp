// The measurement: what threads take when no loop runs, and what it costs to find them
// again; everybody in turn, round by round.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "neighbour/requests.hpp"

namespace doall::bench {

// How long a process sleeps after its last loop while its CPU clock is watched.
inline constexpr std::uint64_t rest_ns = 500'000'000;

// The caller's own work between two loops; the first is none.
inline constexpr std::array<std::uint64_t, 4> gaps_ns{0, 50'000, 1'000'000, 5'000'000};

// A process at rest. How its last loops were scheduled plays no part.
struct rest_series {
  entrant of;
  std::vector<double> cpu_ns = {};  // that it took, a round
};

// One entrant's loops of one length, for each of the gaps. A number a round.
struct gap_series {
  entrant of;
  loop what;
  std::array<std::vector<double>, gaps_ns.size()> median_ns = {};  // of a loop
  std::array<std::vector<double>, gaps_ns.size()> busy_cpus = {};  // by workers, in the gaps
};

struct measurement {
  std::vector<rest_series> rests;
  std::vector<gap_series> loops;
  double others_share = 0;  // of all CPUs' time that other programs used
};

// Throws lane_error on a wrong answer.
measurement measure(const std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

}  // namespace doall::bench
