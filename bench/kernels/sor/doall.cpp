#include <doall/doall.hpp>

#include "kernels/sor/kernel.hpp"

namespace doall::bench {

void run_doall(sor& k, const schedule& how) {
  for (int sweep = 0; sweep < k.sweeps(); ++sweep) {
    for (const int colour : {0, 1}) {
      parallel_for(1, k.n() + 1, [&](int j) { k.update_row(colour, j); },
                   {.how = how, .costs = k.cost_sums()});
    }
  }
}

}  // namespace doall::bench
