#pragma once

#include "kernels/floyd-warshall/kernel.hpp"
#include "kernels/nested_recorded.hpp"

namespace doall::bench {

template <class Loops>
void run_nest(floyd_warshall& k, const Loops& loops) {
  for (std::size_t via = 0; via < k.nodes(); ++via) {
    loops.outer(k.nodes(), [&](std::size_t from) {
      loops.inner(k.nodes(), [&](std::size_t first, std::size_t last) {
        charge(loops, [&] { return (last - first) * k.pair_cycles; });
        k.relax(via, from, first, last);
      });
    });
  }
}

}  // namespace doall::bench
