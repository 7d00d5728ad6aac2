#include "kernels/cows-common/native_loops.hpp"
#include "kernels/cows-k-committee/steps.hpp"

namespace doall::bench {

void run_doall(k_committee& k, const std::string& schedule) {
  run_steps(k, native_cows_loops(schedule, k.graph().row_pointer()));
}

}  // namespace doall::bench
