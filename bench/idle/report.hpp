// What came out, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "idle/measurement.hpp"
#include "neighbour/options.hpp"

namespace doall::bench {

struct report {
  run_options asked;
  std::vector<std::string> left_out;
  measurement measured;
};

std::string to_text(const report& r);

// Schema "doall-bench-idle/1"; README.md has it.
nlohmann::ordered_json to_json(const report& r);

}  // namespace doall::bench
