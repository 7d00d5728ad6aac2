// The command line of `doall bench lbs` and `hybrid`, what it measures and what it prints; cows has
// a command line of its own.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "driver/comparison.hpp"

namespace doall::bench {

struct compared : outcome {
  comparison of = {};
  program_choice choice = {};
  contenders side_who = {};  // the side lanes
  std::vector<program_result> programs = {};
  std::vector<program_result> side = {};  // of the side lanes
};

// `doall bench NAME`. The lanes are the kernels', asked for NAME; doall's takes a schedule after
// the size, the only one then that it takes part under.
void run_comparison(const comparison& b, const cli::arguments& args);

// Measures these programs and the side lanes' in turn, each with as many rounds as its part of the
// time has room for. Prints the header, each program's table when it is done, and then what is
// found over all programs. Throws lane_error when an answer is wrong or a lane is gone.
void measure_paced(compared& made, double minutes, const std::vector<std::string>& programs,
                   const std::vector<std::string>& side_programs);

// Schemas "doall-bench-lbs/1", "doall-bench-hybrid/1", "doall-bench-cows/1"; their pages have them.
nlohmann::ordered_json to_json(const compared& r);

}  // namespace doall::bench
