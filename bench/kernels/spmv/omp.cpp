#include "kernels/nested_omp.hpp"
#include "kernels/spmv/nest.hpp"

namespace doall::bench {

void run_omp_outer(spmv& k) { run_nest(k, omp_outer_nest{}); }

void run_omp_taskloop(spmv& k) {
  run_in_tasks([&] { run_nest(k, omp_task_nest{}); });
}

}  // namespace doall::bench
