#include "omp/fatal.hpp"

#include <cstdlib>
#include <string>

#include "base/env.hpp"

namespace doall::omp {

void fatal(std::string_view why) {
  base::warn(std::string(why) + "; it ends here");
  std::exit(EXIT_FAILURE);
}

}  // namespace doall::omp
