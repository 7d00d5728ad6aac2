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

}  // namespace doall::bench
