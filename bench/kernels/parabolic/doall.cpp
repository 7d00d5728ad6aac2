#include <doall/doall.hpp>

#include "kernels/parabolic/kernel.hpp"

namespace doall::bench {

void run_doall(parabolic& k, const schedule& how) {
  parallel_for(0, k.iterations(), [&](int i) { k.run(i); }, {.how = how, .costs = k.cost_sums()});
}

}  // namespace doall::bench
