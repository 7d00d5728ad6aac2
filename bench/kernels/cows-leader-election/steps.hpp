#pragma once

#include "kernels/cows-leader-election/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(leader_election& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  loops.each(loop_kind::uniform, "begin", n, [&k](vertex v) { k.begin(v); });
  std::uint64_t changed = 1;
  for (std::uint32_t round = 1; changed != 0; ++round) {
    loops.each(loop_kind::costed, "exchange", n, [&k](vertex v) { return k.exchange(v); });
    changed = loops.sum("accept", n, [&k, round](vertex v) { return k.accept(v, round); });
  }
}

}  // namespace doall::bench
