#include "kernels/adjoint-convolution/kernel.hpp"

namespace doall::bench {

void run_omp(adjoint_convolution& k) {
  if (k.order() == direction::reversed) {
#pragma omp parallel for schedule(runtime)
    for (int i = k.iterations() - 1; i >= 0; --i) k.convolve(i);
  } else {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < k.iterations(); ++i) k.convolve(i);
  }
}

}  // namespace doall::bench
