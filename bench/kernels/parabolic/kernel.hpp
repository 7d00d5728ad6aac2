// The parabolic loop: a workload that decreases with the square.
//
// AFS, section 4.4, Figure 11 (N = 200):
//   DO PARALLEL I = 1,N
//     DO SEQUENTIAL J = 1,(N-I)**2
//       COMPUTE
//
// Imbalance: larger; 1/(3P) of what is left is the most that a worker may take
// (Theorem 3.3). Affinity: none.
#pragma once

#include "kernels/unit_loop.hpp"

namespace doall::bench {

class parabolic final : public unit_loop {
 public:
  explicit parabolic(size s);
};

void run_serial(parabolic& k);
void run_doall(parabolic& k, const schedule& how);
void run_omp(parabolic& k);

}  // namespace doall::bench
