// Ends a program with which the OpenMP door cannot go on.
#pragma once

#include <string_view>

namespace doall::omp {

// Says why on standard error and exits with status 1.
[[noreturn]] void fatal(std::string_view why);

}  // namespace doall::omp
