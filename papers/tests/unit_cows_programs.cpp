// COWS's kernels in plain OpenMP C compute what the serial runs do, under OpenMP's own schedules.
#include "kernel_runs.hpp"
#include "kernels/cows_programs.hpp"
#include "lanes/openmp_runtime.hpp"

namespace doall::bench {
namespace {

TEST(CowsPrograms, EveryOpenmpScheduleGivesTheSerialAnswer) {
  const auto door = [](auto& k) { run_omp(k); };
  const program warm_up = cows_warm_up(door);
  expect_serial_answers(cows_programs(door, every_graph(size::small, {})), &warm_up,
                        {"dynamic", "dynamic,7", "static", "static,1", "guided"},
                        use_openmp_schedule);
}

}  // namespace
}  // namespace doall::bench
