// doall bench afs: the affinity paper's programs over schedules and runtimes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "afs/report.hpp"
#include "common/benchmark.hpp"
#include "common/load_watch.hpp"

namespace {

using namespace doall::bench;

constexpr const char* name = "bench afs";

struct request {
  contest setting = default_contest(afs_runtimes());
  std::vector<std::string> doors{afs_doors().front()};
  std::string size = "paper";
  std::vector<std::string> kernels;  // empty: all
  round_numbers rounds;
  bool late = false;
  std::string json_file;
};

// For their names: nobody runs them here.
std::vector<program> all_programs() {
  return programs([](kernel&) {});
}

// False after --help.
bool read_request(const doall::cli::arguments& args, request& r) {
  std::vector<std::string> names;
  for (const program& p : all_programs()) names.push_back(p.name);

  doall::cli::option_parser options(
      name, "[OPTIONS]",
      "The programs of AFS under every schedule of doall and of its peers, in one run: which\n"
      "are best, and whether our best is as fast as theirs.",
      "Programs: " + fmt::format("{}", fmt::join(names, ", ")) +
          "\nExit status 1 also when an answer was wrong.");
  CLI::Option* kernel =
      options.add_option("--kernel", r.kernels, "Some of the programs below; by default all")
          ->delimiter(',')
          ->check(CLI::IsMember(names).description(""))
          ->type_name("LIST");
  options.add_option("--size", r.size, "paper (the default), or small: as quick as a test must be")
      ->check(CLI::IsMember({"paper", "small"}).description(""))
      ->type_name("SIZE");
  options
      .add_option("--rounds", r.rounds.choosing,
                  "Rounds of everybody once, to choose the best; by default 10, which takes\n"
                  "two to three minutes. Then ten times as many of the best alone")
      ->check(CLI::Range(1U, 10'000U).description(""))
      ->type_name("N");
  add_contest_options(options, r.setting);
  CLI::Option* doors =
      options
          .add_option("--doors", r.doors,
                      fmt::format("By which doall takes part: some of {}; by default {}",
                                  fmt::join(afs_doors(), ","), afs_doors().front()))
          ->delimiter(',')
          ->check(CLI::IsMember(afs_doors()).description(""))
          ->type_name("LIST");
  options
      .add_flag("--late", r.late,
                "Instead of the programs a loop that one worker comes late to (AFS, Table 2);\n"
                "doall takes part by the door gomp")
      ->excludes(kernel)
      ->excludes(doors);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  if (!options.read(args)) return false;
  if (r.late) r.doors = {"gomp"};
  return true;
}

void measure_programs(const request& r, const std::vector<contender>& present,
                      doall::base::rng& random, afs_report& made) {
  for (const program& p : all_programs()) {
    if (!r.kernels.empty() && std::ranges::count(r.kernels, p.name) == 0) continue;
    made.programs.push_back(measure(p, present, r.rounds, random, show_progress));
    show_progress("");
    fmt::print("{}", to_text(made.programs.back()));
    std::fflush(stdout);
  }
}

void run(const doall::cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  contenders all = start_afs_lanes(r.setting, r.doors, r.size);
  afs_report made{.setting = r.setting,
                  .size = r.size,
                  .rounds = r.rounds,
                  .left_out = std::move(all.left_out)};
  const load_watch load(all.present);
  doall::base::rng random(1);
  if (r.late) {
    fmt::print("{}", late_header_text(made));
    made.late = measure_late(all.present, r.rounds.choosing, random, show_progress);
    show_progress("");
    fmt::print("{}", to_text(made.late, r.setting.threads));
  } else {
    fmt::print("{}", header_text(made));
    measure_programs(r, all.present, random, made);
  }
  made.others_share = load.others_share();
  fmt::print("{}", footer_text(made));
  json.write(to_json(made));
}

}  // namespace

int main(int argc, char** argv) { return run_benchmark(name, argc, argv, run); }
