// Random programs of nested loops: depth, width and cost of every loop from a seed. What they
// compute tells whether every iteration of every loop ran exactly once, whoever ran it.
#pragma once

#include <doall/doall.hpp>

#include <atomic>
#include <cstdint>

#include "base/rng.hpp"

namespace doall::tests {

struct nest_shape {
  unsigned depth_most = 4;
  unsigned width_most = 12;
  unsigned nodes_most = 400;  // iterations in all, about
  unsigned cost_most = 64;    // steps of the generator
};

// A node of the program: an iteration of a loop. It is told by its seed, and so are the
// loops in it.
class any_nest {
 public:
  any_nest(std::uint64_t seed, const nest_shape& shape) : seed_(seed), shape_(shape) {}

  // Without any runtime.
  std::uint64_t serially() const {
    std::uint64_t sum = 0;
    run(
        seed_, 0, shape_.nodes_most,
        [&](std::uint64_t n, const auto& body) {
          for (std::uint64_t i = 0; i < n; ++i) body(i);
        },
        [&](std::uint64_t value) { sum += value; });
    return sum;
  }

  std::uint64_t in_parallel(const loop_options& options) const {
    std::atomic<std::uint64_t> sum{0};
    run(
        seed_, 0, shape_.nodes_most,
        [&](std::uint64_t n, const auto& body) {
          parallel_for(std::uint64_t{0}, n, body, options);
        },
        [&](std::uint64_t value) { sum.fetch_add(value, std::memory_order_relaxed); });
    return sum.load(std::memory_order_relaxed);
  }

 private:
  // for_each(n, body) runs a loop; add(value) adds up what nodes compute.
  template <class ForEach, class Add>
  void run(std::uint64_t seed, unsigned depth, unsigned budget, const ForEach& for_each,
           const Add& add) const {
    base::rng random(seed);
    std::uint64_t value = random.next();
    for (auto n = random.below(shape_.cost_most + 1); n > 0; --n) value ^= random.next();
    add(value);
    if (depth == shape_.depth_most) return;
    const auto loops = random.below(3);  // one after the other
    for (std::uint64_t l = 0; l < loops; ++l) {
      const std::uint64_t inner_seed = random.next();
      const std::uint64_t width = random.below(shape_.width_most + 1);
      const auto share = static_cast<unsigned>(budget / (loops * (width + 1)));
      if (share == 0) continue;
      for_each(width, [&](std::uint64_t i) {
        base::rng of_node(inner_seed + i);
        run(of_node.next(), depth + 1, share, for_each, add);
      });
    }
  }

  std::uint64_t seed_;
  nest_shape shape_;
};

}  // namespace doall::tests
