#include "kernels/nested_omp.hpp"
#include "kernels/tsp/nest.hpp"

namespace doall::bench {

void run_omp_outer(tsp& k) { run_nest(k, omp_outer_nest{}); }

void run_omp_taskloop(tsp& k) {
  run_in_tasks([&] { run_nest(k, omp_task_nest{}); });
}

}  // namespace doall::bench
