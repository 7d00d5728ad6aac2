#include "kernels/triangular/kernel.hpp"

namespace doall::bench {

void run_omp(triangular& k) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < k.iterations(); ++i) k.run(i);
}

}  // namespace doall::bench
