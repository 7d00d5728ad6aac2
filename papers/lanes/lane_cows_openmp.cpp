// OpenMP's lane: the programs in C, schedule(runtime) in all loops. One source: GCC's build runs on
// libgomp and, preloaded, on doall's libgomp.so.1, which has more schedules; Clang's build runs on
// libomp. A second build of GCC's, with COWS_NAME_COSTS, is linked with libdoall and tells doall
// what its loops cost.
//
//   lane-cows-openmp-COMPILER SIZE [FOLDER]     of the graphs' files
//   lane-cows-openmp-gcc-costs SIZE [FOLDER]
#include "kernels/cows_programs.hpp"
#include "kernels/harness.hpp"
#include "lanes/lane.hpp"
#include "lanes/openmp_runtime.hpp"

namespace {

using namespace doall::bench;

#ifdef COWS_NAME_COSTS
constexpr bool names_costs = true;
#else
constexpr bool names_costs = false;
#endif

#ifdef __clang__
constexpr bool is_libomp = true;
#else
constexpr bool is_libomp = false;
#endif

// Without costs wsrw would be wsri; what the others do with them is the same as without.
std::vector<std::string> every_schedule() {
  if (doall_schedule_setter() == nullptr) return {"dynamic", "static", "static,1", "guided"};
  if (names_costs) return {"wsrw"};
  return {"dynamic", "static", "cyclic", "guided", "wsr", "wsri"};
}

// Chunks of one iteration take minutes where there are many of them: LLVM's library a microsecond
// each where two threads want the next one, others up to a tenth of that.
std::vector<std::string> schedules(const program& p) {
  std::vector<std::string> all = every_schedule();
  if (crosses_road_network(p.name) || (is_libomp && runs_on_road_network(p.name))) {
    std::erase_if(all, [](const std::string& schedule) {
      return schedule == "dynamic" || schedule == "static,1" || schedule == "cyclic";
    });
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const auto door = [](auto& kernel) { run_omp(kernel); };
  const std::string size_name = argc > 1 ? argv[1] : "";
  const size s = size_of(size_name);
  return serve_lane(size_name, {.library = openmp_library(),
                                .threads = openmp_team_size(),
                                .use = use_openmp_schedule,
                                .programs = cows_programs(
                                    door, every_graph(s, find_graphs(argc > 2 ? argv[2] : ""))),
                                .warm_up = cows_warm_up(door),
                                .schedules = schedules});
}
