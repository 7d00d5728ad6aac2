// The head-heavy loop: nine tenths of the work in the first tenth.
//
// AFS, section 4.4, Figure 12 (N = 50000):
//   DO PARALLEL I = 1,N
//     IF (I.LT.(N/10)) THEN COMPUTE(100) ELSE COMPUTE(1)
//
// Imbalance: large; whoever takes more than 1/(10P) of the iterations first may be
// the last to finish. Affinity: none.
#pragma once

#include "kernels/unit_loop.hpp"

namespace doall::bench {

class head_heavy final : public unit_loop {
 public:
  explicit head_heavy(size s);
};

void run_serial(head_heavy& k);
void run_doall(head_heavy& k, const schedule& how);
void run_omp(head_heavy& k);

}  // namespace doall::bench
