// OpenMP's lane: schedule(static) in all fine loops. One source: GCC's build runs on libgomp
// and, preloaded, on doall's libgomp.so.1; Clang's build runs on libomp.
//
//   programs-lane-openmp-COMPILER SIZE [GRAPH]
#include "common/openmp_facts.hpp"
#include "kernels/fine_programs.hpp"
#include "kernels/lane.hpp"

int main(int argc, char** argv) {
  using namespace doall::bench;
  const auto door = [](auto& kernel) { run_omp_static(kernel); };
  return serve(argc > 1 ? argv[1] : "",
               {.library = openmp_library(),
                .threads = openmp_team_size(),
                .use = [](const std::string&) {},
                .programs = fine_programs(door, argc > 2 ? argv[2] : ""),
                .warm_up = fine_warm_up(door),
                .schedules = [](const program&) { return std::vector<std::string>{"static"}; }});
}
