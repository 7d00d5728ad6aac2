// Ends a program with which the OpenMP door cannot go on.
#pragma once

#include <string_view>

namespace doall::omp {

// Says why on standard error and exits with status 1.
[[noreturn]] void fatal(std::string_view why);

// The same for a feature of the standard that doall does not have yet: `name` is the function that
// the program called, `the_program` what the program does that needs it.
[[noreturn]] void not_there_yet(std::string_view name, std::string_view the_program);

}  // namespace doall::omp
