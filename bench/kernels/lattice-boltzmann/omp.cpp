#include "kernels/lattice-boltzmann/steps.hpp"

namespace doall::bench {

void run_omp(lattice_boltzmann& k) {
  run_steps(k, [](int count, const auto& body) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < count; ++i) body(i);
  });
}

void run_omp_static(lattice_boltzmann& k) {
  run_steps(k, [](int count, const auto& body) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i) body(i);
  });
}

}  // namespace doall::bench
