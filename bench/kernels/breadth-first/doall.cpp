#include "kernels/breadth-first/nest.hpp"
#include "kernels/nested_doall.hpp"

namespace doall::bench {

void run_doall(breadth_first& k, const loop_options& options) { run_nest(k, doall_nest{options}); }

}  // namespace doall::bench
