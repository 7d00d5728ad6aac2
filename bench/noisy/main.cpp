// doall bench noisy: loops beside a foreign process that keeps one of the CPUs busy.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "noisy/report.hpp"

namespace {

using namespace doall::bench;

constexpr const char* name = "bench noisy";

// False after --help.
bool read_options(const doall::cli::arguments& args, run_options& o) {
  doall::cli::option_parser options(
      name, "[OPTIONS]",
      "Loops of 100 us and 10 ms with a thread for each CPU, while a foreign process is busy on\n"
      "the last of them: mean and 99th percentile over the serial loop's mean, every runtime in\n"
      "turn in one run. Nobody is pinned but the foreign process.",
      "Exit status 1 also when a loop's result is wrong, or there is one CPU alone.");
  add_run_options(options, o);
  options
      .add_option("--runtimes", o.setting.runtimes,
                  fmt::format("Some of {}; by default all", fmt::join(runtime_names(), ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(runtime_names()).description(""))
      ->type_name("LIST");
  options.add_flag_callback(
      "--pin", [&] { o.setting.pinned = true; },
      "Pins threads, to show what that does here: a thread cannot leave the busy CPU");
  return options.read(args);
}

contest unpinned_on_all_cpus() {
  contest c = default_contest(runtime_names());
  c.pinned = false;
  c.threads = static_cast<unsigned>(c.cpus.size());
  return c;
}

void run(const doall::cli::arguments& args) {
  run_options asked{.setting = unpinned_on_all_cpus(), .rounds = 10};
  if (!read_options(args, asked)) return;
  if (asked.setting.cpus.size() < 2) {
    throw lane_error("this process has one CPU, expected two or more; nothing was measured");
  }
  json_file json(asked.json_file);
  contenders all = start_contenders(asked.setting, peer_waiting::actively_too);
  measurement m = measure(asked.setting, all.present, asked.rounds,
                          [&](unsigned round) { show_round(round, asked); });
  show_progress("");

  const report made{asked, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace

int main(int argc, char** argv) { return run_benchmark(name, argc, argv, run); }
