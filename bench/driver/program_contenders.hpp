// Who takes part where programs are measured: `doall bench programs`, `variability`, `lbs` and
// `hybrid`.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "driver/contenders.hpp"

namespace doall::bench {

const std::vector<std::string>& program_runtimes();

// What is run: options that these commands have.
struct program_choice {
  std::string size = "paper";
  std::string graph_file = "";             // the Kronecker graph alone
  std::vector<std::string> programs = {};  // by name, or by its beginning; none: all
  std::string by_default = "";             // which are run then, for the help; "": all
};

// --size, --programs.
void add_program_options(cli::option_parser& options, program_choice& choice);

// The lanes of the kernels (papers/lanes): their first argument is the experiment.
inline constexpr const char* kernel_lanes = "lane-kernels";

// The lanes of everybody who was asked for, LANES-RUNTIME: ours, through both doors,
// first.
void add_program_lanes(roster& all, const contest& c, const std::string& lanes,
                       const std::vector<std::string>& arguments);

// These and --graph. The environment's DOALL_BENCH_GRAPH is the graph that
// nobody names.
void add_choice_options(cli::option_parser& options, program_choice& choice);

// Starts the lanes. Throws lane_error when there are none, and cli::failure for a graph
// that is not there. Who or what is left out is told with the reason.
contenders start_program_lanes(const contest& c, const program_choice& choice);

// Those that were chosen, of what the lanes have. Throws cli::failure for a name that is not
// one.
std::vector<std::string> chosen_programs(const program_choice& choice,
                                         const std::vector<contender>& present);

// A contender under one schedule.
struct entrant {
  const contender* who;
  std::string schedule;

  bool is_ours() const { return who->runtime == "doall"; }
};

// All of them for that program.
std::vector<entrant> entrants_of(const std::string& program, const std::vector<contender>& present);

// "doall native default", "libgomp gomp static": settings of a peer together.
std::string name_of(const entrant& e);

// Whom all others are compared with.
inline constexpr const char* reference_name = "doall native default";

}  // namespace doall::bench
