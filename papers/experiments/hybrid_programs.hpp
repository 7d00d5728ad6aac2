// hybrid's programs for virtual time (section V): loops that are run again and again on the same
// data. Costs are in cycles. What the paper leaves open is stated here.
#pragma once

#include "sim/program.hpp"

namespace doall::bench::hybrid_virtual {

using base::u64;

// The microbenchmarks: iteration i walks through an array of its own, 4,096 arrays, so many bytes
// together; a number of eight bytes takes 4.1 cycles, as Figure 5 has it of L1. The paper's
// "variable amounts" are a ramp here, as in kernels/strided.hpp: array i is in proportion to i + 1.
// How often an iteration goes through its array is not stated. Fitted, on Figure 1's prose ("the
// non-static schemes clearly win out" where it is uneven): 20 times. With fewer an iteration whose
// data are on another socket takes twice as long, and static wins.
sim::program balanced(double bytes, u64 phases);
sim::program unbalanced(double bytes, u64 phases);

// NAS's kernels, as the paper's class C has them but with fewer, larger iterations: 512 planes of
// mg and ft are 512 iterations, cg's 150,000 rows are 4,096 iterations, and is has 4,096 pieces of
// keys and 1,024 buckets. Data have their homes where static's order has them: "NUMA-aware memory
// allocation to distribute the data across sockets to allow the static partitioning to exploit the
// locality benefit" (section V).
//
//   ep  16,384 batches without data, of nearly the same cost
//   cg  q = A p, and five loops over the vectors: matrix and vectors by the own rows, p whole
//   mg  a V-cycle: planes i - 1, i and i + 1 of a grid; coarser grids have half as many, a quarter
//   as
//       large
//   ft  lines within the own plane, and lines across all planes. Assumed: passes along memory are
//       fetched ahead, and no access of theirs is counted as a miss
//   is  keys by the own piece, to buckets all over memory; then buckets, one in proportion to how
//   many
//       keys it has (the sum of four random numbers: a bell)
sim::program embarrassingly_parallel();
sim::program conjugate_gradient(u64 steps);
sim::program multigrid(u64 cycles);
sim::program fourier(u64 steps);
// `of_buckets`: the schedule that the source names for the buckets' loop, the one that is uneven.
sim::program integer_sort(u64 steps, const std::optional<schedules::spec>& of_buckets = {});

}  // namespace doall::bench::hybrid_virtual
