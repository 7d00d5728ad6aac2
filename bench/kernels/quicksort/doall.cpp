#include "kernels/nested_doall.hpp"
#include "kernels/quicksort/nest.hpp"

namespace doall::bench {

void run_doall(quicksort& k, const loop_options& options) {
  run_nest(k, doall_nest{options}, doall_threads());
}

}  // namespace doall::bench
