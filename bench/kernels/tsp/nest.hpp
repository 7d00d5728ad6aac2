#pragma once

#include "kernels/nested_recorded.hpp"
#include "kernels/tsp/kernel.hpp"

namespace doall::bench {

// An iteration of the loop over the nodes to which t could go on.
template <class Loops>
void try_node(tsp& k, const Loops& loops, const tsp::tour& t, std::size_t node) {
  charge(loops, [&] { return k.try_cycles; });
  if (t.has(node)) return;
  const tsp::tour next = k.extended(t, node);
  if (k.is_serial(next)) {
    charge(loops, [&] { return k.close_cycles(next); });
    k.close(next);
  } else {
    loops.inner(k.n(), [&](std::size_t to) { try_node(k, loops, next, to); });
  }
}

template <class Loops>
void run_nest(tsp& k, const Loops& loops) {
  const tsp::tour start;
  loops.outer(k.n(), [&](std::size_t node) { try_node(k, loops, start, node); });
}

}  // namespace doall::bench
