// Features of the standard that doall does not have yet: tasks that an event completes. A program
// that needs one ends with a message; it never half-works through a second runtime.
#include <cstdlib>
#include <string>

#include "base/env.hpp"
#include "omp/api.hpp"
#include "omp/fatal.hpp"

namespace doall::omp {

void fatal(std::string_view why) {
  base::warn(std::string(why) + "; it ends here");
  std::exit(EXIT_FAILURE);
}

void not_there_yet(std::string_view name, std::string_view the_program) {
  fatal(std::string(name) + " is not there yet: this program " + std::string(the_program));
}

}  // namespace doall::omp

extern "C" {

void omp_fulfill_event(std::uintptr_t) {
  doall::omp::not_there_yet("omp_fulfill_event", "detaches tasks");
}

}  // extern "C"
