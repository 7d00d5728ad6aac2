// The triangular loop: a linearly decreasing workload.
//
// AFS, section 4.4, Figure 10 (N = 5000):
//   DO PARALLEL I = 1,N
//     DO SEQUENTIAL J = 1,N-I
//       COMPUTE
//
// Imbalance: large; 1/(2P) of what is left is the most that a worker may take
// (Theorem 3.3). Affinity: none.
#pragma once

#include "kernels/unit_loop.hpp"

namespace doall::bench {

class triangular final : public unit_loop {
 public:
  explicit triangular(size s);
};

void run_serial(triangular& k);
void run_doall(triangular& k, const schedule& how);
void run_omp(triangular& k);

}  // namespace doall::bench
