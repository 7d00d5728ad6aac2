// OpenMP's lane: the programs in C, schedule(runtime) in all loops. One source: GCC's build runs on
// libgomp and, preloaded, on doall's libgomp.so.1, which has more schedules; Clang's build runs on
// libomp.
//
//   cows-lane-openmp-COMPILER SIZE [FOLDER]     of the graphs' files
#include "common/openmp_facts.hpp"
#include "common/openmp_schedule.hpp"
#include "kernels/cows-common/programs.hpp"
#include "kernels/lane.hpp"

namespace {

using namespace doall::bench;

// The programs tell no costs, so of ours wsrw would be wsri.
std::vector<std::string> schedules(const program&) {
  if (doall_schedule_setter() == nullptr) return {"dynamic", "static", "static,1", "guided"};
  return {"dynamic", "static", "cyclic", "guided", "wsr", "wsri"};
}

}  // namespace

int main(int argc, char** argv) {
  const auto door = [](auto& kernel) { run_omp(kernel); };
  const std::string size_name = argc > 1 ? argv[1] : "";
  const size s = size_name == "small" ? size::small : size::paper;
  return serve(size_name, {.library = openmp_library(),
                           .threads = openmp_team_size(),
                           .use = use_openmp_schedule,
                           .programs = cows_programs(
                               door, every_graph(s, find_graphs(argc > 2 ? argv[2] : ""))),
                           .warm_up = cows_warm_up(door),
                           .schedules = schedules});
}
