// doall bench cows: the COWS paper's kernels on graphs whose loops are uneven.
//
// On threads: our schedules and the peers' in turn, with wsrw's ratio to each. With --virtual: each
// kernel's loops are recorded once, serially, with what every iteration of them does, and run in
// virtual time by the paper's seven schedules (machine.hpp): makespans, steals and balance, with
// the paper's figures beside ours.
#include <cstdlib>

#include "driver/programs.hpp"
#include "experiments/cows.hpp"

namespace doall::bench {
namespace {

void add_choice(cli::option_parser& options, cows_choice& asked) {
  options.add_flag("--virtual", asked.is_virtual,
                   "In virtual time. Nothing is timed: the same numbers on any machine");
  options
      .add_option("--size", asked.size_name,
                  "paper: the graphs of --folder, and a Kronecker graph of 2^16 vertices; or\n"
                  "small: a Kronecker graph of 2^9")
      .one_of({"paper", "small"})
      .shown_as("paper|small");
  options
      .add_option("--folder", asked.folder,
                  "Where the graphs' files are; by default what DOALL_BENCH_GRAPHS names. Those\n"
                  "that are not there are left out")
      .shown_as("FOLDER");
  options.add_option("--graphs", asked.graphs, "Those whose names begin so; by default all")
      .parted_by(',')
      .shown_as("LIST");
  options
      .add_option("--orders", asked.orders,
                  "Of the vertices: given, by-degree, by-level; by default all")
      .parted_by(',')
      .one_of({"given", "by-degree", "by-level"})
      .shown_as("LIST");
  add_programs_option(
      options, asked.programs,
      "all, but on threads, of road networks,\n"
      "not those that cross them (bfs, components, leader-election) in many seconds");
}

void add_virtual_options(cli::option_parser& options, machine_request& asked) {
  options.add_option("--workers", asked.workers, "With --virtual: how many; by default 8,16,40")
      .parted_by(',')
      .between(1U, 1024U)
      .shown_as("LIST");
  options
      .add_option("--seeds", asked.seeds,
                  "With --virtual: runs of each loop, seeds 1 to N; by default 100")
      .between(1U, 100'000U)
      .shown_as("N");
}

void run_cows(const cli::arguments& args) {
  // oneTBB has no loops that name a schedule.
  cows_choice asked{.threads = {.setting = default_contest({"doall", "libgomp", "libomp"})}};
  if (const char* folder = std::getenv("DOALL_BENCH_GRAPHS")) asked.folder = folder;
  cli::option_parser options(
      "bench cows", "[OPTIONS]",
      "The COWS paper's kernels on power-law graphs and road networks: k-committee, leader\n"
      "election, breadth-first search, PageRank and connected components, in three orders of\n"
      "the vertices, under the paper's seven schedules.",
      "Exit status 1 also when an answer is wrong.");
  add_choice(options, asked);
  add_virtual_options(options, asked.machine);
  add_paced_options(options, asked.threads, asked.minutes);
  add_svg_option(options, asked.threads, "speed-ups over dynamic to FILE; not of --virtual");
  add_contest_options(options, asked.threads.setting);
  if (!options.read(args)) return;
  if (asked.is_virtual && !asked.threads.svg_file.empty()) {
    throw cli::failure(cli::bad_usage, "--svg: nothing is drawn of --virtual; nothing was run");
  }
  asked.is_virtual ? run_virtual(asked) : run_on_threads(asked);
}

const experiment here{"cows", run_cows};

}  // namespace
}  // namespace doall::bench
