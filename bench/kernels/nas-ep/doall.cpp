#include "kernels/doall_loops.hpp"
#include "kernels/nas-ep/steps.hpp"

namespace doall::bench {

void run_doall(nas_ep& k, const loop_options& options) { run_steps(k, doall_loops{options}); }

}  // namespace doall::bench
