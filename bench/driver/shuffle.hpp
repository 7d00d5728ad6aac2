#pragma once

#include <utility>
#include <vector>

#include "base/rng.hpp"

namespace doall::bench {

// Another order each round, so that nobody always runs after the same neighbour;
// the same orders in every run.
template <class Turn>
void shuffle(std::vector<Turn>& turns, base::rng& random) {
  for (std::size_t left = turns.size(); left > 1; --left) {
    std::swap(turns[left - 1], turns[random.below(left)]);
  }
}

}  // namespace doall::bench
