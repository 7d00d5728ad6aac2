// What came out, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reduce/measurement.hpp"

namespace doall::bench {

struct report {
  contest setting;
  unsigned rounds = 0;
  std::vector<std::string> left_out;
  measurement measured;
};

std::string to_text(const report& r);

// Schema "doall-bench-reduce/1"; README.md has it.
nlohmann::ordered_json to_json(const report& r);

}  // namespace doall::bench
