// What `doall bench lbs`, `hybrid` and `cows` compare: one of our schedules, the subject,
// against all entrants, program by program and over all programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/programs.hpp"

namespace doall::bench {

// The most that the subject's time over another's may be.
struct bar {
  double most;
  // no_more: its 95 % interval must not lie above; ahead: its median must lie below.
  enum class demand { no_more, ahead } asked = demand::no_more;

  bool operator==(const bar&) const = default;
};
std::string to_text(const bar& b);  // "<= 1.03", "< 1"

struct verdict;

// Whom tables tell speed-ups over, instead of the serial program.
struct speed_up_reference {
  std::string name;                   // as tables and JSON have it: "dynamic"
  std::vector<std::string> entrants;  // name_of() each; the first that takes part
};

struct comparison {
  std::string name;      // of the command, and what its lanes' files begin with
  std::string purpose;   // what its help begins with
  std::string title;     // what its tables begin with
  std::string schedule;  // the subject, through the native door
  std::optional<speed_up_reference> reference = {};  // nothing: the serial program
  std::string by_default = "all";  // the programs that run when none is named, for the help
  bool (*runs_by_default)(const std::string& program);
  // What a program works on: "512 x 512".
  std::string (*input)(const std::string& program, const std::string& size);
  std::optional<bar> (*most)(const std::string& program, const entrant& e);
  // Lanes that all programs are asked of besides everybody's; null: none.
  void (*add_lanes)(roster& all, const contest& c, const std::string& size) = nullptr;
  // Lanes that have programs of their own, to be measured after the others; null: none.
  void (*add_side_lanes)(roster& all, const contest& c, const std::string& size) = nullptr;
  patience with = {};
  bool tells_affinity = false;  // of our rows: what part of the iterations stayed on their workers
  // What is judged besides bars, of the programs and of the side lanes'; null: nothing.
  std::vector<verdict> (*judge)(const comparison& b, const std::vector<program_result>& programs,
                                const std::vector<program_result>& side,
                                const std::string& size_name) = nullptr;

  // Of a program, to be compared with that entrant: built by the same compiler, if there is such a
  // lane. Null: does not take part. The native door, or GCC's where only that is open.
  const series* subject_in(const program_result& r, const entrant& other) const;
  // Of a program; null: there is none, or none of them takes part.
  const series* reference_in(const program_result& r) const;
};

// The door of the lane that has one worker, under the subject alone: its speed-up over the
// serial program is the work efficiency.
inline constexpr const char* one_worker_door = "one-worker";

// An entrant's name without the parameter of its schedule: "doall native ebs-simple". Of those
// with one such name the fastest counts, as if it had been searched for. A chunk makes static
// another schedule, which deals round robin: "libgomp gomp static,1" is a family of its own. So is
// whatever names an option: "doall native wsrw,assign=cyclic".
std::string family_of(const entrant& e);

// The fastest of a family; null: none takes part.
const series* fastest_of_family(const program_result& r, const std::string& family);

// What tables call the fastest of all that a peer has, and to whom that applies; "": ours.
std::string best_of_peer(const std::string& runtime);
std::string peer_of(const entrant& e);

// The first's times over the second's at the geometric mean of several programs, round by round:
// of the rounds that all of them have.
using series_pair = std::pair<const series*, const series*>;
ratio mean_ratio_of(const std::vector<series_pair>& programs);  // not empty

// An entrant of a program, in the better of its settings.
struct comparison_row {
  const series* of;
  std::optional<ratio> subject_over =
      {};                        // the subject's time over this one's; null: is the subject
  std::optional<bar> most = {};  // that it should be
  std::optional<ratio> over_reference = {};  // the reference's time over this one's

  // Nothing: no bar, or no interval, but of a row that was given up.
  std::optional<bool> held() const;
};

// All of them, in the order of the lanes.
std::vector<comparison_row> rows_of(const comparison& b, const program_result& r);

// Over all programs, of the fastest in each.
struct mean_row {
  std::string of;             // a family, or a peer's runtime: the best of its families
  double speed_up = 0;        // geometric means
  double over_reference = 0;  // 0: there is no reference
  double subject_over = 0;    // 0: the subject does not take part
  std::size_t missed = 0;     // bars, of all its entrants
};

// Families, then runtimes. `all` is not empty.
std::vector<mean_row> means_of(const comparison& b, const std::vector<program_result>& all);

// The command line of `doall bench lbs` and `hybrid`, what it measures and what it prints; cows has
// a command line of its own.
struct compared : outcome {
  comparison of = {};
  program_choice choice = {};
  contenders side_who = {};  // the side lanes
  std::vector<program_result> programs = {};
  std::vector<program_result> side = {};  // of the side lanes
};

// `doall bench NAME`. The lanes are the kernels', asked for NAME; doall's takes a schedule after
// the size, the only one then that it takes part under.
void run_comparison(const comparison& b, const cli::arguments& args);

// Measures these programs and the side lanes' in turn, each with as many rounds as its part of the
// time has room for. Prints the header, each program's table when it is done, and then what is
// found over all programs. Throws lane_error when an answer is wrong or a lane is gone.
void measure_paced(compared& made, double minutes, const std::vector<std::string>& programs,
                   const std::vector<std::string>& side_programs);

// Schemas "doall-bench-lbs/1", "doall-bench-hybrid/1", "doall-bench-cows/1"; their pages have them.
nlohmann::ordered_json to_json(const compared& r);

}  // namespace doall::bench
