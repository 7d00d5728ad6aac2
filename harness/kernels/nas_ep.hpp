// NAS EP: pairs of Gaussian deviates, counted by the square ring that they fall into.
//
// Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, kernel EP; hybrid, section V:
//   for each pair of random numbers in (-1, 1), (x, y), with t = x^2 + y^2 <= 1:
//     X = x sqrt(-2 ln t / t), Y = y sqrt(-2 ln t / t)
//     ++count[floor(max(|X|, |Y|))], sum of X += X, sum of Y += Y
// One loop, one reduction. 2^24 pairs in class S, 2^25 in W, 2^28 in A.
//
// Imbalance: none. Affinity: none, there is no data.
//
// An iteration is 2^16 pairs, some 1 ms; it finds its place among the random numbers itself.
//
// The sums' last bits depend on who adds what first, as in any program that reduces doubles.
// So the answer is what NAS asks for: the verdict, that the sums are right up to 10^-8 of
// them, beside the counts, which are exact. Adding up blocks in order would give all runtimes
// the same bits, and take from them the reduction that is to be measured.
#pragma once

#include <array>

#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"

namespace doall::bench {

struct ep_sums {
  static constexpr std::size_t rings = 10;

  double x = 0;
  double y = 0;
  std::array<std::uint64_t, rings> counts{};

  ep_sums& operator+=(const ep_sums& other);
};

inline ep_sums operator+(ep_sums a, const ep_sums& b) { return a += b; }

class nas_ep final : public kernel {
 public:
  // Of that class, of S when it is small.
  nas_ep(size s, nas_class c);

  void reset() override { result_ = {}; }
  std::span<const std::byte> answer() const override {
    return std::as_bytes(std::span(&result_, 1));
  }
  std::vector<std::size_t> loop_lengths() const override { return {blocks_}; }

  std::size_t blocks() const { return blocks_; }
  ep_sums sum_block(std::size_t block) const;

  void take(const ep_sums& sums);

  bool verified() const override { return result_.verified != 0; }
  std::span<const std::uint64_t> counts() const { return result_.counts; }

  std::size_t chunk(std::size_t workers) const;

 private:
  struct result {
    std::uint64_t verified = 0;
    std::array<std::uint64_t, ep_sums::rings> counts{};
  };

  nas_class class_;
  std::size_t blocks_;
  result result_;
};

// EP's one loop, for every runtime.
template <class Loops>
void run(nas_ep& k, const Loops& loops) {
  k.take(loops.sum(k.blocks(), [&](std::size_t block) { return k.sum_block(block); }));
}

}  // namespace doall::bench
