// doall bench oversubscribed: loops with four times as many threads as there are CPUs.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "oversubscribed/report.hpp"

namespace {

using namespace doall::bench;

constexpr const char* name = "bench oversubscribed";

// False after --help.
bool read_options(const doall::cli::arguments& args, run_options& o) {
  doall::cli::option_parser options(
      name, "[OPTIONS]",
      "Loops of 100 us, 1 ms and 10 ms with a thread for each CPU and with four, every runtime\n"
      "in turn in one run: how much longer a loop takes with the crowd.",
      "Exit status 1 also when a loop's result is wrong.");
  add_run_options(options, o);
  add_contest_options(options, o.setting);
  return options.read(args);
}

void run(const doall::cli::arguments& args) {
  run_options asked{.setting = default_contest(runtime_names()), .rounds = 15};
  if (!read_options(args, asked)) return;
  json_file json(asked.json_file);

  contest crowd = asked.setting;
  crowd.threads *= crowding;
  contenders all = start_contenders(asked.setting, peer_waiting::by_default);
  contenders others = start_contenders(crowd, peer_waiting::by_default);
  const std::size_t few = all.present.size();
  std::ranges::move(others.present, std::back_inserter(all.present));
  // What was not built is missing twice.
  for (const std::string& who : others.left_out) {
    if (std::ranges::count(all.left_out, who) == 0) all.left_out.push_back(who);
  }
  measurement m =
      measure(all.present, few, asked.rounds, [&](unsigned round) { show_round(round, asked); });
  show_progress("");

  const report made{asked, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace

int main(int argc, char** argv) { return run_benchmark(name, argc, argv, run); }
