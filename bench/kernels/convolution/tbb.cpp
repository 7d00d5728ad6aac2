#include "kernels/convolution/nest.hpp"
#include "kernels/nested_tbb.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(convolution& k, std::size_t grain) {
  run_nest(k, tbb_nest<Partitioner>{grain});
}

template void run_tbb<tbb::simple_partitioner>(convolution& k, std::size_t grain);
template void run_tbb<tbb::auto_partitioner>(convolution& k, std::size_t grain);
template void run_tbb<tbb::affinity_partitioner>(convolution& k, std::size_t grain);

}  // namespace doall::bench
