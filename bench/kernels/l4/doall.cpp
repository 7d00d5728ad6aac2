#include <doall/doall.hpp>

#include "kernels/l4/kernel.hpp"

namespace doall::bench {

void run_doall(l4& k, const schedule& how) {
  const auto options = [&](int n) {
    return loop_options{.how = how, .costs = k.cost_sums(static_cast<std::size_t>(n))};
  };
  for (int round = 0; round < k.rounds(); ++round) {
    parallel_for(0, l4::cube, [&](int i) { k.run_cube(round, i); }, options(l4::cube));
    parallel_for(0, l4::pairs, [&](int i) { k.run_pairs(round, i); }, options(l4::pairs));
    parallel_for(0, l4::grid, [&](int i) { k.run_grid(i); }, options(l4::grid));
  }
}

}  // namespace doall::bench
