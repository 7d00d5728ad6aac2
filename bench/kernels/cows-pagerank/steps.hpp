#pragma once

#include "kernels/cows-pagerank/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(rank_flow& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  rank_flow::sums sums = loops.sum("begin", n, [&k](vertex v) { return k.begin(v); });
  double change = 1;
  for (int round = 0; round < k.rounds_max && change >= k.enough; ++round) {
    const double of_all = k.of_all(sums.dangling);
    loops.each(loop_kind::costed, "gather", n,
               [&k, of_all](vertex v) { return k.gather(v, of_all); });
    sums = loops.sum("accept", n, [&k](vertex v) { return k.accept(v); });
    change = k.floating(sums.change);
    k.advance();
  }
}

}  // namespace doall::bench
