#include "kernels/cows-bfs/steps.hpp"
#include "kernels/cows-common/watched_loops.hpp"

namespace doall::bench {

void run_doall(cows_search& k, const std::string& schedule) {
  run_steps(k, native_cows_loops(schedule, k.graph().row_pointer()));
}

void run_watched(cows_search& k, const std::string& schedule, watched_run& found) {
  run_steps(k, watched_cows_loops(schedule, k.graph().row_pointer(), found));
}

}  // namespace doall::bench
