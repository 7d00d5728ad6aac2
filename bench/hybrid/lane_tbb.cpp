// oneTBB's lane. The grain is the kernel's chunk.
//
//   hybrid-lane-tbb THREADS CPU,CPU,... SIZE
#include <tbb/partitioner.h>

#include <stdexcept>

#include "common/tbb_arena.hpp"
#include "kernels/hybrid_programs.hpp"
#include "kernels/lane.hpp"

namespace {

using namespace doall::bench;

template <class Kernel>
void run(Kernel& k, const std::string& how) {
  if (how == "static_partitioner") return run_tbb<tbb::static_partitioner>(k);
  if (how == "auto_partitioner") return run_tbb<tbb::auto_partitioner>(k);
  if (how == "affinity_partitioner") return run_tbb<tbb::affinity_partitioner>(k);
  throw std::invalid_argument("no partitioner " + how + " here");
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
