#include <omp.h>

#include "kernels/nested_omp.hpp"
#include "kernels/quicksort/nest.hpp"

namespace doall::bench {

void run_omp_outer(quicksort& k) { run_nest(k, omp_outer_nest{}, 1); }

void run_omp_taskloop(quicksort& k) {
  run_in_tasks([&] { run_nest(k, omp_task_nest{}, omp_get_num_threads()); });
}

}  // namespace doall::bench
