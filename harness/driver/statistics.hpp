// Order statistics, which the command has, too. And the order of turns.
#pragma once

#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "text/statistics.hpp"

namespace doall::bench {

using cli::estimate;
using cli::estimate_median;
using cli::geometric_mean;
using cli::median_of;
using cli::median_ratio;
using cli::paired_ratio;
using cli::quantile_of;
using cli::ratio;
using cli::ratio_of;
using cli::summarise;
using cli::summary;

// Another order each round, so that nobody always runs after the same neighbour;
// the same orders in every run.
template <class Turn>
void shuffle(std::vector<Turn>& turns, base::rng& random) {
  for (std::size_t left = turns.size(); left > 1; --left) {
    std::swap(turns[left - 1], turns[random.below(left)]);
  }
}

}  // namespace doall::bench
