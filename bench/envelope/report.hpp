// What came out, for people, for programs, and as a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "envelope/measurement.hpp"

namespace doall::bench {

struct report {
  contest setting;
  unsigned rounds = 0;
  std::vector<std::string> left_out;
  measurement measured;
};

std::string to_text(const report& r);

// Schema "doall-bench-envelope/1"; README.md has it.
nlohmann::ordered_json to_json(const report& r);

// Speed-up over T, as fine-grain's Figure 10: a panel for T's own sites, and one for
// the shared site.
std::string to_svg(const report& r);

}  // namespace doall::bench
