#include "afs/late.hpp"

#include <algorithm>

namespace doall::bench {

double late_result::bound_ns(unsigned threads) const {
  return times.serial_ns * std::max(delay, (1 + delay) / threads);
}

double late_result::fastest_ns() const {
  return std::ranges::min_element(times.all, {}, &series::median_ns)->median_ns();
}

std::vector<late_result> measure_late(const std::vector<contender>& present, unsigned rounds,
                                      base::rng& random, const progress& show) {
  std::vector<late_result> rows;
  for (const late_row& delay : late_rows) {
    rows.push_back(
        {.program = delay.program,
         .delay = delay.delay,
         .times = measure_all(delay.program, late_entrants(present), rounds, random, show)});
  }
  return rows;
}

}  // namespace doall::bench
