// doall bench programs: programs of fine-grain loops, with the peers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/benchmark.hpp"
#include "common/load_watch.hpp"
#include "programs/report.hpp"

namespace {

using namespace doall::bench;

constexpr const char* name = "bench programs";

struct request {
  contest setting = default_contest(program_runtimes());
  program_choice choice;
  unsigned rounds = 20;
  std::string json_file;
};

// False after --help.
bool read_request(const doall::cli::arguments& args, request& r) {
  doall::cli::option_parser options(
      name, "[OPTIONS]",
      "Reductions, stencils and a graph mix, most of whose loops are small: every runtime in\n"
      "turn in one run, and the native default's time over everybody's.",
      "Exit status 1 also when an answer is wrong.");
  options.add_option("--rounds", r.rounds, "Rounds, each of everybody once; by default 20")
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  add_choice_options(options, r.choice);
  add_contest_options(options, r.setting);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  return options.read(args);
}

void run(const doall::cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  contenders all = start_program_lanes(r.setting, r.choice);
  const std::vector<std::string> programs = chosen_programs(r.choice, all.present);
  programs_report made{r.setting, r.choice, r.rounds, std::move(all.left_out)};
  fmt::print("{}", header_text(made));

  const load_watch load(all.present);
  doall::base::rng random(1);
  for (const std::string& program : programs) {
    made.programs.push_back(measure(program, all.present, r.rounds, {}, random, show_progress));
    show_progress("");
    fmt::print("{}", to_text(made.programs.back()));
    std::fflush(stdout);
  }
  made.others_share = load.others_share();
  fmt::print("{}", footer_text(made));
  json.write(to_json(made));
}

}  // namespace

int main(int argc, char** argv) { return run_benchmark(name, argc, argv, run); }
