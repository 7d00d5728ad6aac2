// oneTBB's lane. The grain is the kernel's chunk.
//
//   hybrid-lane-tbb THREADS CPU,CPU,... SIZE
#include "common/tbb_arena.hpp"
#include "common/tbb_partitioner.hpp"
#include "kernels/hybrid_programs.hpp"
#include "kernels/lane.hpp"

namespace {

using namespace doall::bench;

template <class Kernel>
void run(Kernel& k, const std::string& how) {
  with_partitioner<tbb::static_partitioner, tbb::auto_partitioner, tbb::affinity_partitioner>(
      how, [&]<class Partitioner>() { run_tbb<Partitioner>(k); });
}

std::vector<std::string> schedules(const program&) {
  return {"static_partitioner", "auto_partitioner", "affinity_partitioner"};
}

}  // namespace

int main(int argc, char** argv) {
  tbb_arena arena(argv);
  std::string how = "static_partitioner";
  const auto door = [&](auto& kernel) { arena.execute([&] { run(kernel, how); }); };
  return serve(argc > 3 ? argv[3] : "", {.library = tbb_arena::library(),
                                         .threads = arena.threads(),
                                         .use = [&how](const std::string& text) { how = text; },
                                         .programs = hybrid_programs(door),
                                         .warm_up = hybrid_warm_up(door),
                                         .schedules = schedules});
}
