// Who takes part in a comparison of runtimes, each in a lane of its own.
#pragma once

#include <filesystem>
#include <memory>
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

// How a contender's lane is started.
struct lane_plan {
  std::string runtime;
  std::string door;
  std::string setting = "";
  std::string program;  // stands beside this program's file
  std::vector<std::string> arguments = {};
  std::vector<std::string> variables = {};  // besides threads and pinning
  std::string needs = "";                   // to be built
  std::string compiler = "GCC";
  std::filesystem::path library = "";  // that must be the one to run the loops; "": any
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

  // Throws lane_error when nobody takes part.
  contenders take();

 private:
  const contest& contest_;
  contenders found_;
};

// `p` for GCC's binary with our libgomp.so.1 before its own.
lane_plan with_doall_libgomp(lane_plan p);

// `p` with the arguments that lanes/tbb_arena.hpp reads, before its own.
lane_plan with_tbb_arena(lane_plan p, const contest& c);

// The registry's schedules with their defaults, in the grammar. OpenMP's tables
// write dynamic with its chunk, and a comparison goes by the name.
std::vector<std::string> registry_texts();

// Whether a schedule goes by what its loop is told of its iterations' costs.
bool wants_costs(const std::string& schedule);

}  // namespace doall::bench
