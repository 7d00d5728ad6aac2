#include "kernels/nested_tbb.hpp"
#include "kernels/tsp/nest.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(tsp& k, std::size_t grain) {
  run_nest(k, tbb_nest<Partitioner>{grain});
}

template void run_tbb<tbb::simple_partitioner>(tsp& k, std::size_t grain);
template void run_tbb<tbb::auto_partitioner>(tsp& k, std::size_t grain);
template void run_tbb<tbb::affinity_partitioner>(tsp& k, std::size_t grain);

}  // namespace doall::bench
