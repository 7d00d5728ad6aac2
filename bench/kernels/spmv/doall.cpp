#include "kernels/nested_doall.hpp"
#include "kernels/spmv/nest.hpp"

namespace doall::bench {

void run_doall(spmv& k, const loop_options& options) { run_nest(k, doall_nest{options}); }

}  // namespace doall::bench
