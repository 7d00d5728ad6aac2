// What COWS's kernels have in common: an ordered graph.
//
// Paper: COWS, section VI, Figure 12. The same programs stand in plain OpenMP C in
// cows_programs.c. run_serial() has the same answer by another, serial algorithm.
// Loops are driven by the topology: over all vertices, whether or not there is something to do.
// Those over neighbours are written as in C: what compilers make of others differs by more than the
// schedules do (docs/investigations/2026-11-23-two-languages.md).
#pragma once

#include <utility>

#include "kernels/cows_loops.hpp"
#include "kernels/kernel.hpp"
#include "kernels/ordered_graph.hpp"

namespace doall::bench {

class cows_kernel : public kernel {
 public:
  // What each iteration has done is told by the answer.
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  const ordered_graph& graph() const { return *graph_; }
  std::size_t vertices() const { return graph_->vertices(); }

 protected:
  explicit cows_kernel(shared_ordered_graph g) : graph_(std::move(g)) {}

 private:
  shared_ordered_graph graph_;
};

}  // namespace doall::bench
