#include "kernels/convolution/nest.hpp"
#include "kernels/nested_omp.hpp"

namespace doall::bench {

void run_omp_outer(convolution& k) { run_nest(k, omp_outer_nest{}); }

void run_omp_taskloop(convolution& k) {
  run_in_tasks([&] { run_nest(k, omp_task_nest{}); });
}

}  // namespace doall::bench
