// doall bench idle: what threads take while no loop runs, and whether the next loop finds
// them awake.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "idle/report.hpp"

namespace {

using namespace doall::bench;

constexpr const char* name = "bench idle";

// False after --help.
bool read_options(const doall::cli::arguments& args, run_options& o) {
  doall::cli::option_parser options(
      name, "[OPTIONS]",
      "The CPU time that a process takes in half a second of sleep after its last loop; and\n"
      "loops, empty and of 100 us, that arrive every 50 us, 1 ms and 5 ms, against such loops\n"
      "without a gap. Every runtime in turn in one run.",
      "Exit status 1 also when a loop's result is wrong.");
  add_run_options(options, o);
  add_contest_options(options, o.setting);
  return options.read(args);
}

void run(const doall::cli::arguments& args) {
  run_options asked{.setting = default_contest(runtime_names()), .rounds = 10};
  if (!read_options(args, asked)) return;
  json_file json(asked.json_file);
  contenders all = start_contenders(asked.setting, peer_waiting::actively_too);
  measurement m =
      measure(all.present, asked.rounds, [&](unsigned round) { show_round(round, asked); });
  show_progress("");

  const report made{asked, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace

int main(int argc, char** argv) { return run_benchmark(name, argc, argv, run); }
