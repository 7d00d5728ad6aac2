// What COWS's kernels have in common: an ordered graph.
//
// Paper: COWS, section VI, Figure 12. A kernel's folder has
//   kernel.hpp   the algorithm, its arrays, and what an iteration of each loop does
//   steps.hpp    the order of its loops, for every way to run them (cows-common/loops.hpp)
//   serial.cpp   the same answer by another, serial algorithm
//   doall.cpp    the steps through the native door
//   program.c    the same program in plain OpenMP C (cows-common/programs.h); omp.cpp calls it
// Loops are driven by the topology: over all vertices, whether or not there is something to do.
// Those over neighbours are written as in C: what compilers make of others differs by more than the
// schedules do (docs/investigations/2026-11-23-two-languages.md).
#pragma once

#include <utility>

#include "kernels/cows-common/loops.hpp"
#include "kernels/cows-common/ordered_graph.hpp"
#include "kernels/kernel.hpp"

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
