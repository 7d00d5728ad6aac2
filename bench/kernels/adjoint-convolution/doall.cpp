#include <doall/doall.hpp>

#include "kernels/adjoint-convolution/kernel.hpp"

namespace doall::bench {

void run_doall(adjoint_convolution& k, const schedule& how) {
  parallel_for(0, k.iterations(), [&](int i) { k.convolve(i); },
               {.how = how, .costs = k.cost_sums()});
}

}  // namespace doall::bench
