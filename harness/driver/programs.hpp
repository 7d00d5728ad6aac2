// Programs, and their measurement: everybody in turn, round by round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "driver/experiment.hpp"
#include "driver/series.hpp"

namespace doall::bench {

// What is run: options that these commands have.
struct program_choice {
  std::string size = "paper";
  std::string graph_file = "";             // besides the Kronecker graph
  std::vector<std::string> programs = {};  // by name, or by its beginning; none: all
  std::string by_default = "all";          // which are run then, for the help
};

// --size, --programs.
void add_program_options(cli::option_parser& options, program_choice& choice);
// These and --graph. The environment's DOALL_BENCH_GRAPH is the graph that nobody names.
void add_choice_options(cli::option_parser& options, program_choice& choice);

// The lanes of the kernels (papers/lanes): their first argument is the experiment.
inline constexpr const char* kernel_lanes = "lane-kernels";

// All of them for that program.
std::vector<entrant> entrants_of(const std::string& program, const std::vector<contender>& present);

// Whom all others are compared with.
inline constexpr const char* reference_name = "doall native default";

// Everybody's times in one program.
struct program_result {
  std::string program;
  series serial;  // on one thread, without a runtime
  std::vector<series> all = {};

  // Of a name's settings the one that is faster; null: does not take part.
  const series* fastest(const std::string& name) const { return fastest_of(all, name); }
  std::vector<std::string> names() const { return names_of(all); }
};

// How many runs a turn has: as many as fill some milliseconds, within these.
struct turn_length {
  std::size_t runs_min = 1;
  std::size_t runs_max = 20;
};

// Who takes that many times as long as the fastest in so many first rounds takes part in no more:
// others have the time. None by default.
struct patience {
  double times = std::numeric_limits<double>::infinity();
  unsigned rounds = 2;
};

// Has every entrant's answer checked, and sets what part of the iterations stayed on their threads.
// Throws lane_error when an answer is wrong.
void check_answers(const std::string& program, std::vector<series>& all);

// Rounds of each once, in an order shuffled anew for each. Throws lane_error when an answer is
// wrong or a lane is gone, as what follows does.
void run_rounds(const std::string& program, std::vector<series*> turns, unsigned rounds,
                base::rng& random, turn_length length = {}, patience with = {});

// Everybody under those schedules, and the serial program: answers, then rounds.
program_result measure(const std::string& program, const std::vector<entrant>& entrants,
                       unsigned rounds, base::rng& random, turn_length length = {},
                       patience with = {});

// One serial run.
double serial_run_ns(const std::string& program, const contender& who);

// For `programs` and `variability`: fine-grain's programs.
struct programs_outcome : outcome {
  program_choice choice = {};
  std::vector<program_result> programs = {};
};
// Starts everybody, prints the header and each program's table when it is measured, then the load.
// Throws cli::failure for a graph that is not there.
programs_outcome measure_fine_programs(const run_options& asked, const program_choice& choice,
                                       turn_length length,
                                       std::string (*header)(const programs_outcome&),
                                       std::string (*table)(const program_result&));
nlohmann::ordered_json to_json(const programs_outcome& o, const std::string& name);

// Rounds in a limited time: as many as each program's part of it has room for.
class pace {
 public:
  // From now on, for so many programs.
  pace(double minutes, std::size_t programs);

  // Of the next program, which takes that long serially: as many as its part of the time that is
  // left has room for, by a rough estimate. At least `rounds_min`.
  unsigned rounds(double serial_ns, std::size_t lanes, std::size_t entrants, unsigned rounds_min);

  static constexpr unsigned rounds_max = 20;

 private:
  std::uint64_t end_ns_;
  std::size_t programs_left_;
};

// For an interval.
inline constexpr unsigned judged_rounds_min = 6;

// --rounds, --json and --minutes. Without --rounds there are 0: as many as there is time for.
void add_paced_options(cli::option_parser& options, run_options& o, double& minutes);

}  // namespace doall::bench
