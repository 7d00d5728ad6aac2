#pragma once

#include "kernels/cows-pagerank/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(rank_flow& k, const Loops& loops) {
  const std::size_t n = k.vertices();
  rank_flow::sums sums = loops.sum("begin", n, [&](std::size_t v) { return k.begin(vertex(v)); });
  double change = 1;
  for (int round = 0; round < k.rounds_max && change >= k.enough; ++round) {
    const double of_all = k.of_all(sums.dangling);
    loops.each(loop_kind::costed, "gather", n,
               [&](std::size_t v) { return k.gather(vertex(v), of_all); });
    sums = loops.sum("accept", n, [&](std::size_t v) { return k.accept(vertex(v)); });
    change = k.floating(sums.change);
    k.advance();
  }
}

}  // namespace doall::bench
