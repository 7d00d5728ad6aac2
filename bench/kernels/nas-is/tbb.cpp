#include "kernels/nas-is/steps.hpp"
#include "kernels/tbb_loops.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(nas_is& k) {
  run_steps(k, tbb_loops<Partitioner>{k.chunk(tbb_workers())});
}

template void run_tbb<tbb::static_partitioner>(nas_is& k);
template void run_tbb<tbb::auto_partitioner>(nas_is& k);
template void run_tbb<tbb::affinity_partitioner>(nas_is& k);

}  // namespace doall::bench
