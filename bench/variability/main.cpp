// doall bench variability: how much the time of one and the same program differs from run
// to run.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/benchmark.hpp"
#include "common/load_watch.hpp"
#include "variability/report.hpp"

namespace {

using namespace doall::bench;

constexpr const char* name = "bench variability";
// A turn's runs; as many turns as make up the number asked for.
constexpr unsigned runs_a_turn = 10;

struct request {
  contest setting = default_contest(program_runtimes());
  // Those of fine-grain's figures.
  program_choice choice = {.programs = {"hydro", "betweenness", "pagerank"}};
  unsigned runs = 200;
  std::string json_file;
  std::string svg_file;
};

// False after --help.
bool read_request(const doall::cli::arguments& args, request& r) {
  doall::cli::option_parser options(
      name, "[OPTIONS]",
      "How the times of many runs of a program are distributed, whole and in fine loops:\n"
      "every runtime in turn in one run, ten runs a turn.",
      "Exit status 1 also when an answer is wrong.");
  options.add_option("--runs", r.runs, "Runs of each program, rounded up to tens; by default 200")
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  add_choice_options(options, r.choice);
  add_contest_options(options, r.setting);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  options.add_option("--svg", r.svg_file, "Draws the cumulative distributions to FILE")
      ->type_name("FILE");
  return options.read(args);
}

void run(const doall::cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  result_file svg(r.svg_file);
  contenders all = start_program_lanes(r.setting, r.choice);
  const std::vector<std::string> programs = chosen_programs(r.choice, all.present);
  const unsigned rounds = (r.runs + runs_a_turn - 1) / runs_a_turn;
  variability_report made{r.setting, r.choice, rounds * runs_a_turn, std::move(all.left_out)};
  fmt::print("{}", header_text(made));

  const load_watch load(all.present);
  doall::base::rng random(1);
  const turn_length length{runs_a_turn, runs_a_turn};
  for (const std::string& program : programs) {
    made.programs.push_back(measure(program, all.present, rounds, length, random, show_progress));
    show_progress("");
    fmt::print("{}", to_text(made.programs.back()));
    std::fflush(stdout);
  }
  made.others_share = load.others_share();
  fmt::print("\n{}", load_text(made.others_share));
  json.write(to_json(made));
  svg.write(to_svg(made));
}

}  // namespace

int main(int argc, char** argv) { return run_benchmark(name, argc, argv, run); }
