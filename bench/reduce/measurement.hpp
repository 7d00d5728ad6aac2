// The measurement: everybody in turn, round by round, so that a machine that
// slows down slows all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "reduce/contenders.hpp"

namespace doall::bench {

// What is reduced.
struct task {
  std::string reduction;  // "dot" or "histogram"
  std::size_t elements;
};

// Both, from a thousand elements to ten millions.
const std::vector<task>& all_tasks();

// One contender's times under one schedule.
struct series {
  std::string runtime;
  std::string door;
  std::string setting;
  std::string library;
  std::string schedule;
  unsigned threads = 0;
  std::vector<double> batches_ns = {};  // a reduction, for every batch of every round
  std::vector<double> rounds_ns = {};   // the median of each round's batches
};

struct task_result {
  task what;
  series serial;  // the loop without a runtime
  std::vector<series> all = {};
};

struct measurement {
  std::vector<task_result> tasks;
  double others_share = 0;  // of all CPUs' time that other programs used
};

// `progress` is called before each round with its number. Throws lane_error on a wrong
// answer.
measurement measure(std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

}  // namespace doall::bench
