#include "kernels/nas-cg/steps.hpp"
#include "kernels/tbb_loops.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(nas_cg& k) {
  run_steps(k, tbb_loops<Partitioner>{k.chunk(tbb_workers())});
}

template void run_tbb<tbb::static_partitioner>(nas_cg& k);
template void run_tbb<tbb::auto_partitioner>(nas_cg& k);
template void run_tbb<tbb::affinity_partitioner>(nas_cg& k);

}  // namespace doall::bench
