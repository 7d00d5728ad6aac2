#include "kernels/convolution/nest.hpp"
#include "kernels/nested_doall.hpp"

namespace doall::bench {

void run_doall(convolution& k, const loop_options& options) { run_nest(k, doall_nest{options}); }

}  // namespace doall::bench
