// AFS's Table 2: a balanced loop that one worker comes late to.
#pragma once

#include <string>
#include <vector>

#include "afs/measurement.hpp"

namespace doall::bench {

// One row of the paper's table: a delay, and everybody's times.
struct late_result {
  std::string program;
  double delay = 0;  // in parts of N iterations' time on one thread
  field times = {};  // the same entrants in every row; serial without the delay

  // What P threads need at least, when each of them is as fast as one alone.
  double bound_ns(unsigned threads) const;
  double fastest_ns() const;
};

std::vector<late_result> measure_late(const std::vector<contender>& present, unsigned rounds,
                                      base::rng& random, const progress& show);

}  // namespace doall::bench
