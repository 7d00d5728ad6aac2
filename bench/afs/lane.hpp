// A lane of `doall bench afs`: a runtime in a process of its own (common/lane_process.hpp)
// that runs programs when the driver asks.
//
// Protocol, one line each way:
//   the lane begins with         library  threads        tabs between fields
//   check PROGRAM SCHEDULE       ok and the part of the iterations that stayed, or what went wrong
//   time PROGRAM SCHEDULE        nanoseconds a run, one number a run, or what went wrong
// SCHEDULE is a text of the grammar, or `serial`: the same iterations on one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/programs.hpp"

namespace doall::bench {

struct lane_door {
  std::string library;   // what runs the loops
  unsigned threads = 1;  // a loop has
  // Sets the schedule of all loops that follow. Throws std::invalid_argument.
  std::function<void(const std::string& schedule)> use;
  std::vector<program> programs;
  program warm_up;
};

// Answers the driver until the input ends. Arguments: the size, `small` or `paper`.
// Returns the status to exit with.
int serve(int argc, char** argv, const lane_door& door);

}  // namespace doall::bench
