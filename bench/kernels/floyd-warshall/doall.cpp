#include "kernels/floyd-warshall/nest.hpp"
#include "kernels/nested_doall.hpp"

namespace doall::bench {

void run_doall(floyd_warshall& k, const loop_options& options) { run_nest(k, doall_nest{options}); }

}  // namespace doall::bench
