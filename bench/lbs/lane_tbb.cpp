// oneTBB's lane.
//
//   lbs-lane-tbb THREADS CPU,CPU,... SIZE
#include "common/tbb_arena.hpp"
#include "common/tbb_partitioner.hpp"
#include "kernels/lane.hpp"
#include "kernels/nested_programs.hpp"

namespace {

using namespace doall::bench;

// PARTITIONER or PARTITIONER,GRAIN; without a grain it is 1, as oneTBB's own default.
struct splitting {
  std::string partitioner;
  std::size_t grain = 1;
};

splitting splitting_from(const std::string& text) {
  const auto comma = text.find(',');
  if (comma == std::string::npos) return {text};
  return {text.substr(0, comma), std::stoul(text.substr(comma + 1))};
}

template <class Kernel>
void run(Kernel& k, const splitting& how) {
  with_partitioner<tbb::auto_partitioner, tbb::affinity_partitioner, tbb::simple_partitioner>(
      how.partitioner, [&]<class Partitioner>() { run_tbb<Partitioner>(k, how.grain); });
}

std::vector<std::string> schedules(const program&) {
  return {"auto_partitioner",      "affinity_partitioner",  "simple_partitioner,1",
          "simple_partitioner,16", "simple_partitioner,64", "simple_partitioner,256"};
}

}  // namespace

int main(int argc, char** argv) {
  tbb_arena arena(argv);
  splitting how{"auto_partitioner"};
  const auto door = [&](auto& kernel) { arena.execute([&] { run(kernel, how); }); };
  const auto use = [&how](const std::string& text) { how = splitting_from(text); };

  return serve(argc > 3 ? argv[3] : "", {.library = tbb_arena::library(),
                                         .threads = arena.threads(),
                                         .use = use,
                                         .programs = nested_programs(door),
                                         .warm_up = nested_warm_up(door),
                                         .schedules = schedules});
}
