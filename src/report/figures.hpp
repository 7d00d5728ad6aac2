// What a loop's or region's figures alone say of it: what can be set from outside, which time that
// saves at most, and in words why. A pure function: `doall run --report` and tests call it.
//
// The time of all calls, W on P workers and K CPUs, has three parts, where B is the workers' time
// in the program's own code and M the busiest worker's, summed over calls:
//   B / P        if all were as busy as each other
//   M - B / P    they are not: the imbalance
//   W - M        before, between and behind the program's code: getting chunks, launch and join
// One thread takes B: it gets no chunks, and waits for nobody. K workers take the longer of M and
// B / K. These are bounds, not predictions.
#pragma once

#include <cstdint>
#include <string>

#include "observe/record.hpp"

namespace doall::cli {

struct loop_advice {
  std::string text;
  std::string settings;  // of the environment, that would help; empty: none
  std::string schedule;  // likewise
  double saves = 0;      // of the loop's time, if so
  std::string machine;   // whose model was asked; empty: none
  bool tiny = false;     // its workers cost more than they gain

  // Whether whoever has only the program can do something.
  bool from_outside() const { return !settings.empty() || !schedule.empty(); }
};

// What else is known of a record: whether a schedule can reach it, and for a region whether it
// holds loops that have lines of their own.
struct surroundings {
  bool in_region = false;  // a loop of a region that has a line of its own
  bool holds_loops = false;
};

loop_advice judge(const observe::process_facts& process, const observe::record& r,
                  const surroundings& around);

// Whether any schedule that is given from outside runs the loop.
bool takes_schedules(const observe::record& r);

// Whether only its source can give it another schedule: it is a native loop that names one.
bool is_named_in_source(const observe::record& r);

// Whether the process had OMP_DYNAMIC=true.
bool has_dynamic(const observe::process_facts& process);

}  // namespace doall::cli
