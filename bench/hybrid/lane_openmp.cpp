// OpenMP's lane: schedule(runtime) in all loops. One source: GCC's build runs on libgomp and,
// preloaded, on doall's libgomp.so.1, which has more schedules; Clang's build runs on libomp.
//
//   hybrid-lane-openmp-COMPILER SIZE
#include "common/openmp_facts.hpp"
#include "common/openmp_schedule.hpp"
#include "hybrid/chunks.hpp"
#include "kernels/hybrid_programs.hpp"
#include "kernels/lane.hpp"

namespace {

using namespace doall::bench;

std::vector<std::string> schedules(const program&) {
  std::vector<std::string> all{"static", "dynamic,chunk", "guided,chunk"};
  if (doall_schedule_setter() != nullptr) {
    all.insert(all.end(), {"static-steal,chunk", "hybrid"});
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = openmp_team_size();
  std::string how = "static";
  const auto door = [&](auto& kernel) {
    use_openmp_schedule(with_chunk_of(kernel, threads, how));
    run_omp(kernel);
  };
  return serve(argc > 1 ? argv[1] : "", {.library = openmp_library(),
                                         .threads = threads,
                                         .use = [&how](const std::string& text) { how = text; },
                                         .programs = hybrid_programs(door),
                                         .warm_up = hybrid_warm_up(door),
                                         .schedules = schedules});
}
