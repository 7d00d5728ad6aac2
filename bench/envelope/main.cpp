// doall bench envelope: from which size on a parallel loop gains, and what a smaller one loses.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/benchmark.hpp"
#include "envelope/contenders.hpp"
#include "envelope/measurement.hpp"
#include "envelope/report.hpp"

namespace {

using namespace doall::bench;

constexpr const char* name = "bench envelope";

struct request {
  contest setting = default_contest(runtime_names());
  unsigned rounds = 30;
  std::string json_file;
  std::string svg_file;
};

// False after --help.
bool read_request(const doall::cli::arguments& args, request& r) {
  doall::cli::option_parser options(
      name, "[OPTIONS]",
      "A parallel loop whose serial time T goes from 10 ns to 10 ms, every runtime in turn in\n"
      "one run: its time over min(T + 30 ns, T/P + round trip of a cache line), its burden d\n"
      "in S = T / (d + T/P), and from which T on it reaches 5, 50 and 95 % of its peak.",
      "Exit status 1 also when a loop's answer is wrong.");
  options.add_option("--rounds", r.rounds, "Rounds, each of everybody once; by default 30")
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  add_contest_options(options, r.setting);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  options.add_option("--svg", r.svg_file, "Draws speed-up over T to FILE")->type_name("FILE");
  return options.read(args);
}

void run(const doall::cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  result_file svg(r.svg_file);
  contenders all = start_contenders(r.setting);
  const auto progress = [&](unsigned round) {
    show_progress(fmt::format("round {} of {}", round + 1, r.rounds));
  };
  measurement m = measure(r.setting, all.present, r.rounds, progress);
  show_progress("");

  const report made{r.setting, r.rounds, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
  svg.write(to_svg(made));
}

}  // namespace

int main(int argc, char** argv) { return run_benchmark(name, argc, argv, run); }
