#include "kernels/matmult/nest.hpp"
#include "kernels/nested_tbb.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(matmult& k, std::size_t grain) {
  run_nest(k, tbb_nest<Partitioner>{grain});
}

template void run_tbb<tbb::simple_partitioner>(matmult& k, std::size_t grain);
template void run_tbb<tbb::auto_partitioner>(matmult& k, std::size_t grain);
template void run_tbb<tbb::affinity_partitioner>(matmult& k, std::size_t grain);

}  // namespace doall::bench
