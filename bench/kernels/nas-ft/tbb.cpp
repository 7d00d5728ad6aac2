#include "kernels/nas-ft/steps.hpp"
#include "kernels/tbb_loops.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(nas_ft& k) {
  run_steps(k, tbb_loops<Partitioner>{k.chunk(tbb_workers())});
}

template void run_tbb<tbb::static_partitioner>(nas_ft& k);
template void run_tbb<tbb::auto_partitioner>(nas_ft& k);
template void run_tbb<tbb::affinity_partitioner>(nas_ft& k);

}  // namespace doall::bench
