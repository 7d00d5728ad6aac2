// What came out in virtual time, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cows/outcome.hpp"

namespace doall::bench {

struct cows_report {
  machine_request asked;
  std::vector<std::string> left_out;
  std::vector<cows_outcome> programs = {};
};

std::string header_text(const cows_report& r);  // before the programs
// A table for each number of workers; means; what was asked.
std::string to_text(const cows_report& r);

// Schema "doall-bench-cows-virtual/1"; README.md has it.
nlohmann::ordered_json to_json(const cows_report& r);

}  // namespace doall::bench
