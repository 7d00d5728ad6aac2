#include <doall/doall.hpp>

#include "kernels/gauss/kernel.hpp"

namespace doall::bench {

void run_doall(gauss& k, const schedule& how) {
  for (int pivot = 0; pivot + 1 < k.n(); ++pivot) {
    parallel_for(pivot + 1, k.n(), [&](int row) { k.eliminate(pivot, row); },
                 {.how = how, .costs = k.cost_sums(pivot)});
  }
}

}  // namespace doall::bench
