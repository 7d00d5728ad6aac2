#include "kernels/lattice-boltzmann/steps.hpp"

namespace doall::bench {

void run_serial(lattice_boltzmann& k) {
  run_steps(k, [](int count, const auto& body) {
    for (int i = 0; i < count; ++i) body(i);
  });
}

}  // namespace doall::bench
