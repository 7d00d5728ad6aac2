#include "kernels/nas-cg/steps.hpp"
#include "kernels/omp_loops.hpp"

namespace doall::bench {

void run_omp(nas_cg& k) { run_steps(k, omp_loops{}); }

}  // namespace doall::bench
