// What iterations cost in a run, as a workload (sim/workload.hpp) that `doall simulate` and
// `doall advise` read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "observe/record.hpp"

namespace doall::cli {

// The loops of all processes. A loop whose chunks were not timed has its mean for each iteration;
// parallel regions, of which the runtime sees no iteration, are left out.
// A line a loop.
std::string recording_text(const std::vector<observe::report>& reports);

// What the iterations of a mean call cost, as pairs of a number of iterations and the nanoseconds
// of each, in the loop's order; empty if its chunks were not timed.
nlohmann::ordered_json cost_pairs(const observe::record& r);

}  // namespace doall::cli
