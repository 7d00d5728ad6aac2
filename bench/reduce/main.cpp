// doall bench reduce: what reductions cost, and what repeatable ones cost more.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/benchmark.hpp"
#include "reduce/contenders.hpp"
#include "reduce/measurement.hpp"
#include "reduce/report.hpp"

namespace {

using namespace doall::bench;

constexpr const char* name = "bench reduce";

struct request {
  contest setting = default_contest(runtime_names());
  unsigned rounds = 30;
  std::string json_file;
};

// False after --help.
bool read_request(const doall::cli::arguments& args, request& r) {
  doall::cli::option_parser options(
      name, "[OPTIONS]",
      "A dot product and a histogram of 1 K to 10 M elements, every runtime in turn in one\n"
      "run; ours in the order that gives the same bits for any number of threads, and in any.",
      "Exit status 1 also when a result is wrong.");
  options.add_option("--rounds", r.rounds, "Rounds, each of everybody once; by default 30")
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  add_contest_options(options, r.setting);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  return options.read(args);
}

void run(const doall::cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  contenders all = start_contenders(r.setting);
  const auto progress = [&](unsigned round) {
    show_progress(fmt::format("round {} of {}", round + 1, r.rounds));
  };
  measurement m = measure(all.present, r.rounds, progress);
  show_progress("");

  const report made{r.setting, r.rounds, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace

int main(int argc, char** argv) { return run_benchmark(name, argc, argv, run); }
