#include "kernels/cows-common/watched_loops.hpp"
#include "kernels/cows-k-committee/steps.hpp"

namespace doall::bench {

void run_doall(k_committee& k, const std::string& schedule) {
  run_steps(k, native_cows_loops(schedule, k.graph().row_pointer()));
}

void run_watched(k_committee& k, const std::string& schedule, watched_run& found) {
  run_steps(k, watched_cows_loops(schedule, k.graph().row_pointer(), found));
}

}  // namespace doall::bench
