#include <doall/doall.hpp>

#include "kernels/transitive-closure/kernel.hpp"

namespace doall::bench {

void run_doall(transitive_closure& k, const schedule& how) {
  for (int via = 0; via < k.n(); ++via) {
    parallel_for(0, k.n(), [&](int j) { k.extend(via, j); }, {.how = how, .costs = k.cost_sums()});
  }
}

}  // namespace doall::bench
