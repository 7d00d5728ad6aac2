#include <omp.h>

#include "kernels/late-start/kernel.hpp"

namespace doall::bench {

void run_omp(late_start& k) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == omp_get_num_threads() - 1) k.wait();
#pragma omp for schedule(runtime)
    for (int i = 0; i < k.iterations(); ++i) k.run(i);
  }
}

}  // namespace doall::bench
