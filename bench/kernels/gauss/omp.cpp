#include "kernels/gauss/kernel.hpp"

namespace doall::bench {

void run_omp(gauss& k) {
  for (int pivot = 0; pivot + 1 < k.n(); ++pivot) {
#pragma omp parallel for schedule(runtime)
    for (int row = pivot + 1; row < k.n(); ++row) k.eliminate(pivot, row);
  }
}

}  // namespace doall::bench
