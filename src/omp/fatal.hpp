// How the OpenMP door ends a program that it cannot go on with.
#pragma once

#include <string_view>

namespace doall::omp {

// Says why on standard error and exits with status 1.
[[noreturn]] void fatal(std::string_view why);

// The same, for what the standard has and doall has not yet: `name`, a function
// that the program called, and what `the_program` does that needs it.
[[noreturn]] void not_there_yet(std::string_view name, std::string_view the_program);

}  // namespace doall::omp
