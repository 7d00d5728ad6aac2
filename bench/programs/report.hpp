// What came out, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "programs/measurement.hpp"

namespace doall::bench {

struct programs_report {
  contest setting;
  program_choice choice;
  unsigned rounds = 0;
  std::vector<std::string> left_out;
  double others_share = 0;
  std::vector<program_result> programs = {};
};

std::string header_text(const programs_report& r);  // before the programs
std::string to_text(const program_result& r);       // a table
std::string footer_text(const programs_report& r);  // the load

// Schema "doall-bench-programs/1"; README.md has it.
nlohmann::ordered_json to_json(const programs_report& r);

}  // namespace doall::bench
