#include "kernels/cows-bfs/steps.hpp"
#include "kernels/cows-common/native_loops.hpp"

namespace doall::bench {

void run_doall(cows_search& k, const std::string& schedule) {
  run_steps(k, native_cows_loops(schedule, k.graph().row_pointer()));
}

}  // namespace doall::bench
