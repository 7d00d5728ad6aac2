#include "kernels/histogram/kernel.hpp"
#include "kernels/tbb_reduce.hpp"

namespace doall::bench {
namespace {

auto adder(const histogram& k) {
  return [&k](histogram_counts& counts, std::size_t piece) { k.count_piece(piece, counts.data()); };
}

constexpr auto merge = [](histogram_counts& counts, const histogram_counts& others) {
  add(counts, others);
};

}  // namespace

template <class Partitioner>
void run_tbb(histogram& k) {
  k.take(tbb_reduce<histogram_counts, Partitioner>(k.pieces(), adder(k), merge));
}

void run_tbb_deterministic(histogram& k) {
  k.take(tbb_reduce_deterministically<histogram_counts>(k.pieces(), adder(k), merge));
}

template void run_tbb<tbb::static_partitioner>(histogram& k);
template void run_tbb<tbb::auto_partitioner>(histogram& k);
template void run_tbb<tbb::affinity_partitioner>(histogram& k);

}  // namespace doall::bench
