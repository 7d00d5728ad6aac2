// What came out, for people, for programs, and as a picture.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "programs/measurement.hpp"

namespace doall::bench {

struct variability_report {
  contest setting;
  program_choice choice;
  unsigned runs = 0;  // of each program, for everybody
  std::vector<std::string> left_out;
  double others_share = 0;
  std::vector<program_result> programs = {};
};

// Parts of the runs that take no longer than their quantile.
inline constexpr std::array quantile_parts{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0};

std::string header_text(const variability_report& r);
std::string to_text(const program_result& r);  // tables: the whole program, its fine loops

// Schema "doall-bench-variability/1"; README.md has it.
nlohmann::ordered_json to_json(const variability_report& r);

// Cumulative distributions, as fine-grain's Figures 13 and 15: a panel for each program,
// and one for its fine loops. Times are over the median of our default's.
std::string to_svg(const variability_report& r);

}  // namespace doall::bench
