// Whether what was asked of the subject is held: the last table of `doall bench lbs`, `hybrid`
// and `cows`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver/comparison.hpp"

namespace doall::bench {

struct verdict {
  std::string of;                        // what is judged: "lbs over tbb tbb auto_partitioner"
  std::string limit;                     // "<= 1.03"
  ratio found = {};                      // on the program where it is worst
  std::string where = "";                // that program; "": of all together
  std::optional<bool> held = {};         // nothing: too few rounds
  std::vector<std::string> missed = {};  // programs
};

// Of each family that has bars, on the programs that have them. Of a family the fastest is judged,
// program by program.
std::vector<verdict> bar_verdicts(const stealing_benchmark& b,
                                  const std::vector<stealing_result>& all);

// The subject's time over that of whoever else is fastest, program by program. Nothing: it or
// everybody else does not take part.
std::optional<verdict> best_verdict(const stealing_benchmark& b,
                                    const std::vector<stealing_result>& all, const bar& most);

// The subject's time over that family's, at the geometric mean of the programs, must lie
// below 1. Nothing: one of both does not take part.
std::optional<verdict> mean_verdict(const stealing_benchmark& b,
                                    const std::vector<stealing_result>& all,
                                    const std::string& family);

// The serial program's time over the subject's on one worker must be `least` on each program.
// Nothing: it does not take part.
std::optional<verdict> efficiency_verdict(const std::vector<stealing_result>& all, double least);

std::string to_text(const std::vector<verdict>& all);
nlohmann::ordered_json to_json(const std::vector<verdict>& all);

}  // namespace doall::bench
