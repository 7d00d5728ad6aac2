// What all experiments have in common: options, rounds, what is told of any run, and files.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.hpp"
#include "driver/contenders.hpp"
#include "process/options.hpp"
#include "process/result_file.hpp"

namespace doall::bench {

// An experiment declares itself, in its own file, and nowhere else:
//   const experiment here{"burden", [](const cli::arguments& args) { ... }};
// It takes the arguments after its name, and throws what main() turns into a message and a status.
// Construct it before main() only.
class experiment {
 public:
  using body = void (*)(const cli::arguments& args);
  experiment(std::string_view name, body run);
};

// By name.
const std::map<std::string_view, experiment::body>& all_experiments();

// --- Options.

struct run_options {
  contest setting;
  unsigned rounds = 1;  // 0: as many as there is time for
  std::string json_file = {};
  std::string svg_file = {};
};

// Threads, CPUs and runtimes as nobody asked otherwise. `runtimes` are all there are.
contest default_contest(std::vector<std::string> runtimes = all_runtimes());

// --threads, --runtimes, --pin, --no-pin.
void add_contest_options(cli::option_parser& options, contest& c);
void add_runtimes_option(cli::option_parser& options, contest& c);

// `by_default`: how many rounds there are then, for the help; "": as many as `o` has.
void add_rounds_option(cli::option_parser& options, run_options& o,
                       const std::string& by_default = "");
void add_json_option(cli::option_parser& options, run_options& o);
void add_svg_option(cli::option_parser& options, run_options& o, const std::string& what);
// "LIST", of names' beginnings.
void add_programs_option(cli::option_parser& options, std::vector<std::string>& programs,
                         const std::string& by_default = "all");
void add_minutes_option(cli::option_parser& options, double& minutes, const std::string& text);

// Of `all`, those whose names begin as somebody wants, in the order in which they are wanted; all
// when nobody does. Throws cli::failure for a beginning that no name has.
std::vector<std::string> chosen_of(const std::vector<std::string>& all,
                                   const std::vector<std::string>& wanted);

// --- A run.

// What is told of any run besides its numbers.
struct outcome {
  run_options asked;
  contenders who = {};
  double others_share = 0;  // of all CPUs' time that other programs used
};

// How much of the machine other programs use while something is measured, from now on. `present`
// outlives it.
class load_watch {
 public:
  explicit load_watch(const std::vector<contender>& present);

  // Of all CPUs' time since, what neither this program nor the lanes used.
  double others_share() const;

 private:
  std::uint64_t own_cpu_ns() const;

  const std::vector<contender>& present_;
  std::uint64_t begin_ns_;
  std::uint64_t busy_ns_;
  std::uint64_t own_ns_;
};

using cli::result_file;
using cli::show_progress;

// Calls round(random) for each round, with progress, and sets `made.others_share`. `random` is for
// shuffle(): everybody is measured in turn, so that a machine that slows down slows all of them.
void measure_rounds(outcome& made, const std::function<void(base::rng&)>& round);

// "2 threads, pinned"
std::string threads_text(const contest& c);
// The peers' versions, and who is left out, a line each.
std::string peers_text(const outcome& o);
// What other programs used, and what to do about it.
std::string load_text(double others_share);
// "AMD EPYC 9354, Linux 6.1.0"
std::string machine_name();

// Schema "doall-bench-NAME/1", and all of the above.
nlohmann::ordered_json to_json(const outcome& o, const std::string& name);

}  // namespace doall::bench
