// oneTBB's lane.
//
//   lane-burden-tbb THREADS CPU,CPU,...
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "lanes/burden_lane.hpp"
#include "lanes/tbb_arena.hpp"

namespace {

using doall::bench::iterations;
using doall::bench::kernel;

// `partitioner` outlives the kernel: the affinity partitioner remembers from
// loop to loop who ran what.
template <class Partitioner>
kernel kernel_for(const std::string& name, doall::bench::tbb_arena& arena,
                  Partitioner& partitioner) {
  kernel k = doall::bench::make_kernel(name, [&partitioner](auto body) {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, iterations, 1),
        [](const tbb::blocked_range<int>& range) {
          for (int i = range.begin(); i < range.end(); ++i) decltype(body)::run(i);
        },
        partitioner);
  });
  // The arena is entered once a batch, not once a loop.
  for (auto* run : {&k.run, &k.run_counting, &k.run_witnessed}) {
    *run = [&arena, inside = *run](std::uint64_t loops) { arena.execute([&] { inside(loops); }); };
  }
  return k;
}

}  // namespace

int main(int, char** argv) {
  doall::bench::tbb_arena arena(argv);
  tbb::static_partitioner by_static;
  tbb::simple_partitioner by_simple;
  tbb::auto_partitioner by_auto;
  tbb::affinity_partitioner by_affinity;
  doall::bench::serve_burden(doall::bench::tbb_arena::library(), arena.threads(),
                             {
                                 kernel_for("static_partitioner", arena, by_static),
                                 kernel_for("simple_partitioner,1", arena, by_simple),
                                 kernel_for("auto_partitioner", arena, by_auto),
                                 kernel_for("affinity_partitioner", arena, by_affinity),
                             });
}
