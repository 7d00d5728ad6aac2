// COWS's kernels in plain OpenMP C compute what the serial runs do, under OpenMP's own schedules.
#include "cows.hpp"
#include "lanes/openmp_schedule.hpp"

namespace doall::bench {
namespace {

TEST(CowsPrograms, EveryOpenmpScheduleGivesTheSerialAnswer) {
  expect_serial_answers({"dynamic", "dynamic,7", "static", "static,1", "guided"},
                        [](auto& k, const std::string& how) {
                          use_openmp_schedule(how);
                          run_omp(k);
                        });
}

}  // namespace
}  // namespace doall::bench
