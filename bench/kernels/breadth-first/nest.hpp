#pragma once

#include "kernels/breadth-first/kernel.hpp"
#include "kernels/nested_recorded.hpp"

namespace doall::bench {

template <class Loops>
void run_nest(breadth_first& k, const Loops& loops) {
  for (; !k.frontier().empty(); k.advance()) {
    loops.outer(k.frontier().size(), [&](std::size_t i) {
      const breadth_first::vertex v = k.frontier()[i];
      loops.inner(k.edges(v).size(), [&k, &loops, v](std::size_t first, std::size_t last) {
        charge(loops, [&] { return (last - first) * k.edge_cycles; });
        k.follow(v, first, last);
      });
    });
  }
}

}  // namespace doall::bench
