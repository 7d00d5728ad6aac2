// uforall's loops, by who runs them: one file each.
#pragma once

#include <vector>

#include "kernels/uforall/kernel.hpp"

namespace doall::bench::uforall {

std::vector<variant> serial_variants();
std::vector<variant> doall_variants();
std::vector<variant> omp_variants();
std::vector<variant> tbb_variants();

}  // namespace doall::bench::uforall
