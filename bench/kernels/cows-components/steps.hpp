#pragma once

#include "kernels/cows-components/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(label_flow& k, const Loops& loops) {
  const std::size_t n = k.vertices();
  loops.each(loop_kind::uniform, "begin", n, [&](std::size_t v) { k.begin(vertex(v)); });
  std::uint64_t changed = 1;
  while (changed != 0) {
    loops.each(loop_kind::costed, "lower", n, [&](std::size_t v) { return k.lower(vertex(v)); });
    changed = loops.sum("follow", n, [&](std::size_t v) { return k.follow(vertex(v)); });
  }
}

}  // namespace doall::bench
