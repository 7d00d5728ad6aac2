// What to do about a report: a sentence for each loop, and one that says where to begin. Of the
// loops that lose most the schedules are tried by a machine's model, on the costs that the run has
// recorded (advice.hpp); of the others their figures tell.
#pragma once

#include <string>
#include <vector>

#include "observe/record.hpp"

namespace doall::cli {

struct loop_advice {
  std::string text;
  std::string schedule;  // that would help; empty: none, or it was not tried
  double saves = 0;      // of the loop's time, if so
  std::string machine;   // whose model was asked; empty: none
};

// In the reports' order, one for each record.
using all_advice = std::vector<std::vector<loop_advice>>;

// Simulates at most three loops of at most a million iterations: a second or two.
all_advice advise_on(const std::vector<observe::report>& reports);

// The report's first sentence.
std::string where_to_begin(const std::vector<observe::report>& reports, const all_advice& of);

}  // namespace doall::cli
