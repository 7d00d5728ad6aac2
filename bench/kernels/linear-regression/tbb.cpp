#include "kernels/linear-regression/kernel.hpp"
#include "kernels/tbb_reduce.hpp"

namespace doall::bench {
namespace {

auto adder(const linear_regression& k) {
  return [&k](five_sums& sums, std::size_t piece) { sums += k.sum_piece(piece); };
}

constexpr auto merge = [](five_sums& sums, const five_sums& others) { sums += others; };

}  // namespace

template <class Partitioner>
void run_tbb(linear_regression& k) {
  k.take(tbb_reduce<five_sums, Partitioner>(k.pieces(), adder(k), merge));
}

void run_tbb_deterministic(linear_regression& k) {
  k.take(tbb_reduce_deterministically<five_sums>(k.pieces(), adder(k), merge));
}

template void run_tbb<tbb::static_partitioner>(linear_regression& k);
template void run_tbb<tbb::auto_partitioner>(linear_regression& k);
template void run_tbb<tbb::affinity_partitioner>(linear_regression& k);

}  // namespace doall::bench
