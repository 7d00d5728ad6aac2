// The LBS paper's eight programs as trees of loops, for virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"
#include "sim/nest.hpp"
#include "sim/stealing.hpp"

namespace doall::bench {

struct lbs_program {
  std::string name;
  // The program's loops with costs worked out from its sizes. Paper sizes take up to a second and
  // a gigabyte.
  std::function<sim::nest(size)> record;
};

// As they are on so many workers: quicksort's thresholds depend on that.
std::vector<lbs_program> lbs_programs(std::uint32_t workers);

// ebs-simple's threshold by the procedure of TBB's manual, as the paper does (section 2.3): on one
// worker, halved from `largest` until that has cost more than 7.5 %. One for all loops of the
// program. `how`: the machine; its schedule and its workers are not looked at.
std::uint64_t tuned_threshold(const sim::nest& program, sim::stealing_setup how = {},
                              std::uint64_t largest = 10'000);

}  // namespace doall::bench
