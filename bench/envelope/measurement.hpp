// The measurement: everybody in turn, round by round, so that a machine that
// slows down slows all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "envelope/analysis.hpp"
#include "envelope/contenders.hpp"
#include "kernels/uforall/kernel.hpp"

namespace doall::bench {

// One contender's times under one schedule.
struct series {
  std::string runtime;
  std::string door;
  std::string setting;
  std::string library;
  std::string schedule;
  std::string site;  // "own": every T has one; "shuffled": they share one
  unsigned threads = 0;
  sweep_rounds rounds_ns = {};
  // Measured before each of its turns; empty: one CPU has nobody to send a line to.
  std::vector<double> round_trips_ns = {};
};

struct measurement {
  std::vector<uforall::loop_size> sizes;
  std::vector<series> serial;  // of either site; what the others are compared with
  std::vector<series> all;     // but the serial ones
  double others_share = 0;     // of all CPUs' time that other programs used
};

// `progress` is called before each round with its number. Throws lane_error on a wrong
// answer.
measurement measure(const contest& c, std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

}  // namespace doall::bench
