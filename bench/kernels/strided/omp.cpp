#include "kernels/omp_loops.hpp"
#include "kernels/strided/steps.hpp"

namespace doall::bench {

void run_omp(strided& k) { run_steps(k, omp_loops{}); }

}  // namespace doall::bench
