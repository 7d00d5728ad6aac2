// AFS's programs (Markatos & LeBlanc 1994, section 4.1) in virtual time: what each iteration costs,
// and which rows of its matrix it uses. A unit of cost is an inner iteration.
#pragma once

#include "sim/program.hpp"

namespace doall::bench::afs_virtual {

using base::u64;

// Successive over-relaxation: row i is computed from itself and its neighbours, `times` times.
// `cost`: of an inner iteration.
sim::program relaxation(u64 rows, u64 times, double cost = 1);

// Gauss elimination: loop k subtracts row k from all rows below it.
sim::program elimination(u64 rows);

// Warshall's transitive closure: loop k adds row k to all rows that have an edge to k. A graph of
// edges that are there with a probability of 8 %; or of one clique.
sim::program random_closure(u64 nodes);
sim::program clique_closure(u64 nodes, u64 clique);

// One loop without data, whose iterations cost as that shape says (sim/costs.hpp).
sim::program shaped(std::string_view shape, u64 iterations);

// The same with the iterations in the reverse order.
sim::program reversed(std::string_view shape, u64 iterations);

// The same with iterations of one unit.
sim::program balanced(u64 iterations);

// L4's three loops (kernels/l4.hpp).
sim::program l4();

}  // namespace doall::bench::afs_virtual
