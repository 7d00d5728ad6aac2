#pragma once

#include "kernels/cows-bfs/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(cows_search& k, const Loops& loops) {
  const std::size_t n = k.vertices();
  const cows_search::arrays a = k.work();
  loops.each(loop_kind::uniform, "begin", n, [a](std::size_t v) { a.begin(vertex(v)); });
  std::uint64_t reached = 1;
  for (std::uint32_t level = 1; reached != 0; ++level) {
    loops.each(loop_kind::guarded, "push", n, [a](std::size_t v) { return a.push(vertex(v)); });
    reached =
        loops.sum("accept", n, [a, level](std::size_t v) { return a.accept(vertex(v), level); });
  }
}

}  // namespace doall::bench
