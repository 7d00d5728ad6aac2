// A lane that runs programs: a runtime in a process of its own (driver/lane_process.hpp),
// for `doall bench afs`, `programs` and `variability`.
//
// Protocol, one line each way:
//   the lane begins with               library  threads  program  program ...   (tabs)
//   schedules PROGRAM                  those that it is to take part under
//   check PROGRAM SCHEDULE             ok and the part of the iterations that stayed
//   time PROGRAM SCHEDULE              nanoseconds a run, one number a run
//   runs PROGRAM SCHEDULE LEAST MOST   so many runs, numbers of each: total_ns and, of loops
//                                      that are timed apart, fine_ns coarse_ns, then of the
//                                      fine ones: how many, under 0.1 ms, least_ns, most_ns;
//                                      otherwise zeros
//   and what a benchmark asks of its own lane besides (lane_door::verbs);
// or what went wrong. SCHEDULE is a text that the door's `use` takes, or `serial`: the
// program on one thread, without a runtime.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "kernels/program.hpp"

namespace doall::bench {

struct lane_door {
  std::string library = {};  // what runs the loops
  unsigned threads = 1;      // a loop has
  // Sets the schedule of all loops that follow. Throws std::invalid_argument.
  std::function<void(const std::string& schedule)> use;
  std::vector<program> programs;
  program warm_up;
  std::function<std::vector<std::string>(const program&)> schedules = {};  // null: not asked for
  // Answers to what else may be asked, by its first word. May throw what is then the answer.
  std::map<std::string, std::function<std::string(std::istream& rest)>> verbs = {};
};

// Answers the driver until the input ends. `size` is `small` or `paper`. Returns the
// status to exit with.
int serve(const std::string& size, const lane_door& door);

// What a lane says that is asked for an experiment it does not know. Returns the same.
int no_such_experiment();

}  // namespace doall::bench
