// What is asked of lbs besides its time over others' in each program.
#pragma once

#include "stealing/verdict.hpp"

namespace doall::bench {

// Ahead of each peer at the geometric mean; the work efficiency; what an inner loop costs when
// nobody is idle.
std::vector<verdict> judge_lbs(const stealing_benchmark& b,
                               const std::vector<stealing_result>& programs,
                               const std::vector<stealing_result>& side,
                               const std::string& size_name);

}  // namespace doall::bench
