#include "kernels/nested_omp.hpp"
#include "kernels/queens/nest.hpp"

namespace doall::bench {

void run_omp_outer(queens& k) { run_nest(k, omp_outer_nest{}); }

void run_omp_taskloop(queens& k) {
  run_in_tasks([&] { run_nest(k, omp_task_nest{}); });
}

}  // namespace doall::bench
