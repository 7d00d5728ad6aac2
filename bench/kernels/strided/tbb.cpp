#include "kernels/strided/steps.hpp"
#include "kernels/tbb_loops.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(strided& k) {
  run_steps(k, tbb_loops<Partitioner>{k.chunk(tbb_workers())});
}

template void run_tbb<tbb::static_partitioner>(strided& k);
template void run_tbb<tbb::auto_partitioner>(strided& k);
template void run_tbb<tbb::affinity_partitioner>(strided& k);

}  // namespace doall::bench
