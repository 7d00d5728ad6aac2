// The measurement: everybody in turn, round by round, while a foreign process is busy.
#pragma once

#include <functional>
#include <vector>

#include "neighbour/requests.hpp"

namespace doall::bench {

// One entrant's loops of one length, a number a round.
struct series {
  entrant of;
  std::size_t loop = 0;  // of measurement::loops
  std::vector<double> mean_ns = {};
  std::vector<double> p99_ns = {};
};

struct noisy_loop {
  loop what;
  std::vector<double> serial_ns = {};  // the serial loop's mean, beside the busy process too
};

struct measurement {
  int busy_cpu = 0;
  std::vector<noisy_loop> loops;
  std::vector<series> all;
  double others_share = 0;  // of all CPUs' time, used by third parties
};

// Throws lane_error on a wrong answer.
measurement measure(const contest& c, const std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

}  // namespace doall::bench
