#include "kernels/doall_loops.hpp"
#include "kernels/strided/steps.hpp"

namespace doall::bench {

void run_doall(strided& k, const loop_options& options) { run_steps(k, doall_loops{options}); }

}  // namespace doall::bench
