#pragma once

#include "kernels/cows-bfs/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(cows_search& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  const cows_search::arrays a = k.work();
  loops.each(loop_kind::uniform, "begin", n, [a](vertex v) { a.begin(v); });
  std::uint64_t reached = 1;
  for (std::uint32_t level = 1; reached != 0; ++level) {
    loops.each(loop_kind::guarded, "push", n, [a](vertex v) { return a.push(v); });
    reached = loops.sum("accept", n, [a, level](vertex v) { return a.accept(v, level); });
  }
}

}  // namespace doall::bench
