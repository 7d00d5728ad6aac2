#pragma once

#include "kernels/cows-components/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(label_flow& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  loops.each(loop_kind::uniform, "begin", n, [&k](vertex v) { k.begin(v); });
  std::uint64_t changed = 1;
  while (changed != 0) {
    loops.each(loop_kind::costed, "lower", n, [&k](vertex v) { return k.lower(v); });
    changed = loops.sum("follow", n, [&k](vertex v) { return k.follow(v); });
  }
}

}  // namespace doall::bench
