// What came out, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "driver/comparison.hpp"
#include "driver/run_options.hpp"

namespace doall::bench {

struct stealing_report {
  stealing_benchmark of;
  run_options asked;
  program_choice choice;
  std::vector<std::string> left_out;
  double others_share = 0;
  std::vector<stealing_result> programs = {};
  std::vector<stealing_result> side = {};  // of the side lanes
};

std::string header_text(const stealing_report& r);  // before the programs
std::string to_text(const stealing_report& made, const stealing_result& r);
std::string footer_text(const stealing_report& r);  // over all programs; verdicts; the load

// Schemas "doall-bench-lbs/1", "doall-bench-hybrid/1", "doall-bench-cows/1"; their pages have them.
nlohmann::ordered_json to_json(const stealing_report& r);

}  // namespace doall::bench
