#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/advection/steps.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(advection& k) {
  run_steps(k, [](int count, const auto& body) {
    static Partitioner partitioner;  // a loop's own: the affinity partitioner remembers
    tbb::parallel_for(
        tbb::blocked_range<int>(0, count),
        [&body](const tbb::blocked_range<int>& part) {
          for (int i = part.begin(); i < part.end(); ++i) body(i);
        },
        partitioner);
  });
}

template void run_tbb<tbb::static_partitioner>(advection& k);
template void run_tbb<tbb::auto_partitioner>(advection& k);
template void run_tbb<tbb::affinity_partitioner>(advection& k);

}  // namespace doall::bench
