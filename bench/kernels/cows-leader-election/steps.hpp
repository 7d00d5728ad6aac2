#pragma once

#include "kernels/cows-leader-election/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(leader_election& k, const Loops& loops) {
  const std::size_t n = k.vertices();
  loops.each(loop_kind::uniform, "begin", n, [&](std::size_t v) { k.begin(vertex(v)); });
  std::uint64_t changed = 1;
  for (std::uint32_t round = 1; changed != 0; ++round) {
    loops.each(loop_kind::costed, "exchange", n,
               [&](std::size_t v) { return k.exchange(vertex(v)); });
    changed = loops.sum("accept", n, [&](std::size_t v) { return k.accept(vertex(v), round); });
  }
}

}  // namespace doall::bench
