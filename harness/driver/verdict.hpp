// Whether what was asked is held: the last table of several experiments.
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

// One demand, case by case: the verdict tells the worst case, and who misses it.
class demand {
 public:
  enum class limit { most, least };

  demand(std::string of, std::string text, limit kind = limit::most)
      : made_{.of = std::move(of), .limit = std::move(text)}, kind_(kind) {}

  // Nothing held: there were too few rounds.
  void add(const std::string& where, const ratio& found, std::optional<bool> held);
  // What could not be measured at all.
  void miss(const std::string& where);

  // Nothing: there was no case.
  std::optional<verdict> made() const;

 private:
  verdict made_;
  limit kind_;
  bool is_short_of_rounds_ = false;
};

void add_to(std::vector<verdict>& all, std::optional<verdict> v);

// Of each family that has bars, on the programs that have them. Of a family the fastest is judged,
// program by program.
std::vector<verdict> bar_verdicts(const comparison& b, const std::vector<program_result>& all);

// The subject's time over that of whoever else is fastest, program by program. Nothing: it or
// everybody else does not take part.
std::optional<verdict> best_verdict(const comparison& b, const std::vector<program_result>& all,
                                    const bar& most);

// The subject's time over that family's, at the geometric mean of the programs, must lie
// below 1. Nothing: one of both does not take part.
std::optional<verdict> mean_verdict(const comparison& b, const std::vector<program_result>& all,
                                    const std::string& family);

// The serial program's time over the subject's on one worker must be `least` on each program.
// Nothing: it does not take part.
std::optional<verdict> efficiency_verdict(const std::vector<program_result>& all, double least);

std::string to_text(const std::vector<verdict>& all);
nlohmann::ordered_json to_json(const verdict& v);

}  // namespace doall::bench
