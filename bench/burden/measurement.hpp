// The measurement: everybody in turn, round by round, so that a machine that
// slows down slows all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "burden/contenders.hpp"

namespace doall::bench {

// One contender's times under one schedule.
struct series {
  std::string runtime;
  std::string door;
  std::string setting;
  std::string library;
  std::string schedule;
  unsigned threads = 0;
  double shared_part = 0;               // of loops, whose last iteration another thread ran
  std::vector<double> batches_ns = {};  // a loop, for every batch of every round
  std::vector<double> rounds_ns = {};   // a loop, the median of each round's batches
};

struct measurement {
  std::vector<series> all;
  // Of every batch, and the median of each round's; empty: one CPU has nobody to send a line to.
  std::vector<double> round_trips_ns;
  std::vector<double> round_trip_rounds_ns;
  double others_share = 0;  // of all CPUs' time that other programs used
};

// Checks every contender's answers, runs the rounds, checks again. `progress` is
// called before each round with its number. Throws lane_error on a wrong answer.
measurement measure(const contest& c, std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

}  // namespace doall::bench
