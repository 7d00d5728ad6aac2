#pragma once

#include "kernels/cows-bfs/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(cows_search& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  const cows_search::arrays a = k.work();
  loops.each(loop_kind::uniform, "begin", n, [a](vertex v) { a.begin(v); });
  std::uint64_t reached = 1;
  for (std::uint32_t depth = 0; reached != 0; ++depth) {
    loops.each(loop_kind::guarded, "push", n, [a, depth](vertex v) { return a.push(v, depth); });
    reached = loops.sum("accept", n, [a, depth](vertex v) { return a.accept(v, depth + 1); });
  }
}

}  // namespace doall::bench
