#pragma once

#include "kernels/cows-k-committee/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(k_committee& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  loops.each(loop_kind::uniform, "begin", n, [&k](vertex v) { k.begin(v); });
  for (std::uint32_t phase = 1; phase <= k.phases; ++phase) {
    loops.each(loop_kind::uniform, "stand", n, [&k](vertex v) { k.stand(v); });
    for (std::uint32_t hop = 0; hop < k.hops; ++hop) {
      loops.each(loop_kind::costed, "elect", n, [&k](vertex v) { return k.spread(v); });
      k.advance();
    }
    loops.each(loop_kind::uniform, "invite", n, [&k](vertex v) { k.invite(v); });
    for (std::uint32_t hop = 0; hop < k.hops; ++hop) {
      loops.each(loop_kind::costed, "spread", n, [&k](vertex v) { return k.spread(v); });
      k.advance();
    }
    const bool is_last = phase == k.phases;
    loops.each(loop_kind::uniform, "join", n, [&k, is_last](vertex v) { k.join(v, is_last); });
  }
}

}  // namespace doall::bench
