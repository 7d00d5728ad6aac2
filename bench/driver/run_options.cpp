#include "driver/run_options.hpp"

#include <fmt/format.h>

namespace doall::bench {

void add_run_options(cli::option_parser& options, run_options& o, const std::string& by_default) {
  options
      .add_option("--rounds", o.rounds,
                  fmt::format("Rounds, each of everybody once; by default {}",
                              by_default.empty() ? std::to_string(o.rounds) : by_default))
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  options.add_option("--json", o.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
}

void show_round(unsigned round, const run_options& o) {
  show_progress(fmt::format("round {} of {}", round + 1, o.rounds));
}

}  // namespace doall::bench
