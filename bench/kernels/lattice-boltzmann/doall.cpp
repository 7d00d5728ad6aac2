#include <doall/doall.hpp>

#include "kernels/lattice-boltzmann/steps.hpp"

namespace doall::bench {

void run_doall(lattice_boltzmann& k, const schedule& how) {
  run_steps(k, [&how](int count, const auto& body,
                      const std::source_location& where = std::source_location::current()) {
    parallel_for(0, count, body, how, where);
  });
}

}  // namespace doall::bench
