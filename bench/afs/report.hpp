// What came out, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "afs/late.hpp"
#include "afs/measurement.hpp"

namespace doall::bench {

struct afs_report {
  contest setting;
  std::string size;
  round_numbers rounds;
  std::vector<std::string> left_out;
  double others_share = 0;
  std::vector<program_result> programs = {};
  std::vector<late_result> late = {};
};

std::string header_text(const afs_report& r);       // before the programs
std::string to_text(const program_result& r);       // a table, and the best of each
std::string late_header_text(const afs_report& r);  // before the late start
std::string to_text(const std::vector<late_result>& late, unsigned threads);
std::string footer_text(const afs_report& r);  // the load; the best of all programs

// Schema "doall-bench-afs/1"; README.md has it.
nlohmann::ordered_json to_json(const afs_report& r);

}  // namespace doall::bench
