// What to do about a report: a sentence for each loop. Of the loops that lose most the schedules
// are tried by a machine's model, on the costs that the run has recorded (advice.hpp); of the
// others their figures tell (figures.hpp).
#pragma once

#include <vector>

#include "observe/record.hpp"
#include "report/figures.hpp"

namespace doall::cli {

// In the reports' order, one for each record.
using all_advice = std::vector<std::vector<loop_advice>>;

// Simulates at most three loops of at most a million iterations: a second or two.
all_advice advise_on(const std::vector<observe::report>& reports);

// Whether the loop is in a region that has a line of its own.
bool is_in_region(const observe::report& process, const observe::record& loop);

// Whether nearly all of the region's time is that of the one loop in it: one line for both.
bool is_only_loop(const observe::report& process, const observe::record& region);

}  // namespace doall::cli
