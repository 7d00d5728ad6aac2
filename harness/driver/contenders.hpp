// Who takes part in a comparison of runtimes, each in a lane of its own.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "driver/lane_process.hpp"

namespace doall::bench {

struct contest {
  unsigned threads = 1;
  bool pinned = true;
  std::vector<int> cpus;              // in the order in which threads are pinned
  std::vector<std::string> runtimes;  // that were asked for

  bool wants(const std::string& runtime) const;
};

// One process. A peer may have several that differ in their setting alone: the
// best of them counts.
struct contender {
  std::string runtime;
  std::string door;
  std::string setting;   // "" is the runtime's own default
  std::string compiler;  // that has built the lane: "GCC", "Clang"
  std::unique_ptr<lane_process> lane;
};

struct contenders {
  std::vector<contender> present;
  std::vector<std::string> left_out;  // "libomp: why"
};

// The one that has built this program, and the lanes that CMake knows.
#ifdef __clang__
inline constexpr const char* own_compiler = "Clang";
#else
inline constexpr const char* own_compiler = "GCC";
#endif

// Their names; ours is the first.
const std::vector<std::string>& all_runtimes();

// How a contender's lane is started.
struct lane_plan {
  std::string runtime = "";
  std::string door = "";
  std::string setting = "";
  std::string program = "";  // stands beside this program's file
  std::vector<std::string> arguments = {};
  std::vector<std::string> variables = {};  // besides threads and pinning
  std::string needs = "";                   // to be built
  std::string compiler = own_compiler;
  std::filesystem::path library = "";  // that must be the one to run the loops; "": any
};

// The plans of the lanes NAME-RUNTIME: GCC's own libgomp and Clang's libomp.
lane_plan libgomp_plan(const std::string& name, std::vector<std::string> arguments);
lane_plan libomp_plan(const std::string& name, std::vector<std::string> arguments);
// "THREADS" "CPU,CPU,...", for a lane that reads no variables; no CPU if nobody is pinned.
std::vector<std::string> team_arguments(const contest& c);
// With the arguments that lanes/tbb_arena.hpp reads, before its own.
lane_plan tbb_plan(const std::string& name, std::vector<std::string> arguments, const contest& c);
// `p`, of GCC's or Clang's binary, as ours: on our library in place of its own.
lane_plan on_doall(lane_plan p);

// The lanes of an experiment, one a runtime: NAME-doall, NAME-openmp-gcc, NAME-openmp-clang,
// NAME-tbb.
struct lane_set {
  std::string name;
  std::vector<std::string> arguments = {};           // of each
  std::vector<std::string> more_of_gomp = {};        // of our libgomp's besides
  std::vector<std::string> doors{"native", "gomp"};  // by which doall takes part: and "kmp"
  std::vector<std::string> peers{"libgomp", "libomp", "tbb"};
  bool wait_actively_too = true;  // OpenMP's peers
};

// Starts lanes; one that cannot take part is left out, with the reason.
class roster {
 public:
  explicit roster(const contest& c) : contest_(c) {}

  // The lane, or null when it is left out.
  const lane_process* add(const lane_plan& p);

  // A peer waits as it does by default and, when each thread has a CPU of its
  // own, actively too.
  void add_openmp_peer(lane_plan p);

  // Everybody of the set who is asked for: ours first.
  void add(const lane_set& s);

  // Throws lane_error when nobody takes part.
  contenders take();

 private:
  const contest& contest_;
  contenders found_;
};

// Those of `more` too, who they are and who is left out.
void move_to(contenders& all, contenders more);

// A contender under one schedule: what has rows in tables.
struct entrant {
  const contender* who;
  std::string schedule;

  bool is_ours() const { return who->runtime == "doall"; }
};

// Of lanes that offer their schedules: all of them. `present` outlives them.
std::vector<entrant> entrants_of(std::span<const contender> present);

// Of the peers, what has built them, or their own version: {"libgomp", "GCC 12.2.0"}, {"tbb",
// "oneTBB 2021.8"}.
std::map<std::string, std::string> peer_versions(std::span<const contender> present);

// "doall native default", "libgomp gomp static": settings of a peer together.
std::string name_of(const entrant& e);

// Who it is; a row's other fields follow.
nlohmann::ordered_json to_json(const entrant& e);

// The registry's schedules with their defaults, in the grammar. OpenMP's tables
// write dynamic with its chunk, and a comparison goes by the name.
std::vector<std::string> registry_texts();

// Whether a schedule goes by what its loop is told of its iterations' costs.
bool wants_costs(const std::string& schedule);

}  // namespace doall::bench
