// The measurement: everybody in turn, with few threads and with many, round by round.
#pragma once

#include <functional>
#include <vector>

#include "neighbour/requests.hpp"

namespace doall::bench {

// The crowd has so many times the threads.
inline constexpr unsigned crowding = 4;

// One entrant's loops of one length. Nanoseconds a loop, the mean of each round's: what a
// program pays, late threads included.
struct series {
  entrant of;  // with few threads
  unsigned threads_of_crowd = 0;
  loop what;
  std::vector<double> few_ns = {};
  std::vector<double> crowd_ns = {};
};

struct measurement {
  std::vector<series> all;
  double others_share = 0;  // of all CPUs' time that other programs used
};

// The first `few` of those present have few threads, the others are the same runtimes with
// many; who is there but once is not measured. Throws lane_error on a wrong answer.
measurement measure(const std::vector<contender>& present, std::size_t few, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

}  // namespace doall::bench
