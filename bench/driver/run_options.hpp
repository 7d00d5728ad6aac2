// What the command lines of benchmarks that go by rounds have in common.
#pragma once

#include <string>

#include "driver/benchmark.hpp"

namespace doall::bench {

struct run_options {
  contest setting;
  unsigned rounds = 1;
  std::string json_file = {};
};

// --rounds and --json. `by_default`: how many rounds there are then, for the help; "": as many as
// `o` has.
void add_run_options(cli::option_parser& options, run_options& o,
                     const std::string& by_default = "");

// "round 3 of 10", as measurements report their progress.
void show_round(unsigned round, const run_options& o);

}  // namespace doall::bench
