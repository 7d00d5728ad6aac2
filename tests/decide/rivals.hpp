// What the shipped decision is compared with: a bandit from the literature, and no decision at all.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "decide/constants.hpp"
#include "decide/site_times.hpp"
#include "worlds.hpp"

namespace doall::tests {

// UCB1 (Auer, Cesa-Bianchi & Fischer, Machine Learning 47, 2002) for each length class: the way
// whose mean time an index, less what that may be wrong by, is the least. A run alone is not
// recalled.
class ucb_policy {
 public:
  double run(const world& w, const call& c) {
    of_class& ways = all_.at(decide::class_of(c.of->indices));
    const std::size_t which = ways.next();
    const double took_ns = which == 1 ? w.shared_ns(c) : w.alone_ns(c);
    ways.runs.at(which) += 1;
    ways.sums.at(which) += took_ns / static_cast<double>(c.of->indices);
    return took_ns;
  }

 private:
  struct of_class {
    std::array<double, 2> runs{}, sums{};

    std::size_t next() const {
      for (std::size_t way : {1U, 0U})
        if (runs.at(way) == 0) return way;
      const double all = runs[0] + runs[1];
      const double scale = (sums[0] + sums[1]) / all;
      const auto at_best = [&](std::size_t way) {
        return sums.at(way) / runs.at(way) / scale -
               0.3 * std::sqrt(2 * std::log(all) / runs.at(way));
      };
      return at_best(1) < at_best(0) ? 1 : 0;
    }
  };
  std::array<of_class, 64 * decide::classes_a_doubling> all_{};
};

// Shares each loop, as most runtimes do.
struct always_shares {
  static double run(const world& w, const call& c) { return w.shared_ns(c); }
};

}  // namespace doall::tests
