// A loop whose iteration i is cost(i) units of computing and nothing else: what
// the programs of AFS's sections 4.4 and 4.5 are. An iteration leaves its result in
// a word of its own, which is what is verified.
#pragma once

#include "kernels/kernel.hpp"

namespace doall::bench {

class unit_loop : public kernel {
 public:
  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(results_)); }
  std::vector<std::size_t> loop_lengths() const override { return {results_.size()}; }

  int iterations() const { return static_cast<int>(results_.size()); }

  // Iteration i, from 0.
  void run(int i);

  // In units.
  std::uint64_t cost(int i) const {
    return cost_sums_[static_cast<std::size_t>(i) + 1] - cost_sums_[static_cast<std::size_t>(i)];
  }
  std::span<const std::uint64_t> cost_sums() const { return cost_sums_; }

 protected:
  explicit unit_loop(std::vector<std::uint64_t> cost_sums);

  // What iteration i computes, on other data than the loop's.
  void run_apart(int i, std::uint64_t& result) const;

 private:
  std::vector<std::uint64_t> cost_sums_;
  std::vector<std::uint64_t> results_;
};

// The triangular loop: a linearly decreasing workload.
//
// AFS, section 4.4, Figure 10 (N = 5000):
//   DO PARALLEL I = 1,N
//     DO SEQUENTIAL J = 1,N-I
//       COMPUTE
//
// Imbalance: large; 1/(2P) of what is left is the most that a worker may take
// (Theorem 3.3). Affinity: none.
class triangular final : public unit_loop {
 public:
  explicit triangular(size s);
};

// The parabolic loop: a workload that decreases with the square.
//
// AFS, section 4.4, Figure 11 (N = 200):
//   DO PARALLEL I = 1,N
//     DO SEQUENTIAL J = 1,(N-I)**2
//       COMPUTE
//
// Imbalance: larger; 1/(3P) of what is left is the most that a worker may take
// (Theorem 3.3). Affinity: none.
class parabolic final : public unit_loop {
 public:
  explicit parabolic(size s);
};

// The head-heavy loop: nine tenths of the work in the first tenth.
//
// AFS, section 4.4, Figure 12 (N = 50000):
//   DO PARALLEL I = 1,N
//     IF (I.LT.(N/10)) THEN COMPUTE(100) ELSE COMPUTE(1)
//
// Imbalance: large; whoever takes more than 1/(10P) of the iterations first may be
// the last to finish. Affinity: none.
class head_heavy final : public unit_loop {
 public:
  explicit head_heavy(size s);
};

// A site each.
template <class Loops>
void run(triangular& k, const Loops& loops) {
  loops.each(0, k.iterations(), [&](int i) { k.run(i); }, k.cost_sums());
}

template <class Loops>
void run(parabolic& k, const Loops& loops) {
  loops.each(0, k.iterations(), [&](int i) { k.run(i); }, k.cost_sums());
}

template <class Loops>
void run(head_heavy& k, const Loops& loops) {
  loops.each(0, k.iterations(), [&](int i) { k.run(i); }, k.cost_sums());
}

}  // namespace doall::bench
