#pragma once

#include "kernels/cows-k-committee/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(k_committee& k, const Loops& loops) {
  const std::size_t n = k.vertices();
  loops.each(loop_kind::uniform, "begin", n, [&](std::size_t v) { k.begin(vertex(v)); });
  for (std::uint32_t phase = 1; phase <= k.phases; ++phase) {
    loops.each(loop_kind::uniform, "stand", n, [&](std::size_t v) { k.stand(vertex(v)); });
    for (std::uint32_t hop = 0; hop < k.hops; ++hop) {
      loops.each(loop_kind::costed, "elect", n, [&](std::size_t v) { return k.spread(vertex(v)); });
      k.advance();
    }
    loops.each(loop_kind::uniform, "invite", n, [&](std::size_t v) { k.invite(vertex(v)); });
    for (std::uint32_t hop = 0; hop < k.hops; ++hop) {
      loops.each(loop_kind::costed, "spread", n,
                 [&](std::size_t v) { return k.spread(vertex(v)); });
      k.advance();
    }
    const bool is_last = phase == k.phases;
    loops.each(loop_kind::uniform, "join", n, [&](std::size_t v) { k.join(vertex(v), is_last); });
  }
}

}  // namespace doall::bench
