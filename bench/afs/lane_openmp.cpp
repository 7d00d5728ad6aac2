// OpenMP's lane. One source: GCC's build runs on libgomp and, preloaded, on
// doall's libgomp.so.1; Clang's build runs on libomp.
#include "common/openmp_facts.hpp"
#include "common/openmp_schedule.hpp"
#include "kernels/lane.hpp"

namespace {

using namespace doall::bench;

constexpr auto door = [](auto& kernel) { run_omp(kernel); };

std::vector<program> all_programs() {
  std::vector<program> all = programs(door);
  for (program& p : late_programs(door)) all.push_back(std::move(p));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return serve(argc > 1 ? argv[1] : "", {.library = doall::bench::openmp_library(),
                                         .threads = doall::bench::openmp_team_size(),
                                         .use = use_openmp_schedule,
                                         .programs = all_programs(),
                                         .warm_up = warm_up_program(door)});
}
