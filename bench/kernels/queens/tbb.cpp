#include "kernels/nested_tbb.hpp"
#include "kernels/queens/nest.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(queens& k, std::size_t grain) {
  run_nest(k, tbb_nest<Partitioner>{grain});
}

template void run_tbb<tbb::simple_partitioner>(queens& k, std::size_t grain);
template void run_tbb<tbb::auto_partitioner>(queens& k, std::size_t grain);
template void run_tbb<tbb::affinity_partitioner>(queens& k, std::size_t grain);

}  // namespace doall::bench
