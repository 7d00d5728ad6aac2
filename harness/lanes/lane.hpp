// Lanes that run programs. Verbs (lanes/server.hpp has the protocol; its offers are programs):
//   schedules PROGRAM                  those that it is to take part under
//   check PROGRAM SCHEDULE             the part of the iterations that stayed
//   runs PROGRAM SCHEDULE LEAST MOST   so many runs, numbers of each: total_ns and, of loops
//                                      that are timed apart, fine_ns coarse_ns, then of the
//                                      fine ones: how many, under 0.1 ms, least_ns, most_ns;
//                                      otherwise zeros
//   repeat PROGRAM SCHEDULE RUNS       total_ns of each of so many runs, and no other loop before
//                                      or between them: for a lane that is recorded
//   calls PROGRAM SCHEDULE RUNS        the same after small loops that wake the threads up
//   and what an experiment asks of its own lane besides (lane_door::verbs).
// SCHEDULE is a text that the door's `use` takes, or `serial`: the program on one thread, without a
// runtime.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"
#include "lanes/server.hpp"

namespace doall::bench {

struct lane_door {
  std::string library = {};  // what runs the loops
  unsigned threads = 1;      // a loop has
  // Sets the schedule of all loops that follow. Throws std::invalid_argument.
  std::function<void(const std::string& schedule)> use;
  std::vector<program> programs;
  program warm_up;
  std::function<std::vector<std::string>(const program&)> schedules = {};  // null: not asked for
  decltype(lane::verbs) verbs = {};
};

// Answers the driver until the input ends. `size_name` is `small` or `paper`. Returns the status to
// exit with.
int serve_lane(const std::string& size_name, lane_door door);

using texts = std::vector<std::string>;

// What a lane of several experiments is asked for: EXPERIMENT SIZE MORE...
struct lane_request {
  std::string size;
  texts more;

  std::string graph() const { return more.empty() ? "" : more.front(); }
  bool has(const std::string& word) const { return std::ranges::count(more, word) != 0; }
};

// main(), of the words that say so. Those who serve return a status.
int serve_experiment(
    const texts& words,
    const std::map<std::string, std::function<int(const lane_request&)>>& experiments);

}  // namespace doall::bench
