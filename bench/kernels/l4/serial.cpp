#include "kernels/l4/kernel.hpp"

namespace doall::bench {

void run_serial(l4& k) {
  for (int round = 0; round < k.rounds(); ++round) {
    for (int i = 0; i < l4::cube; ++i) k.run_cube(round, i);
    for (int i = 0; i < l4::pairs; ++i) k.run_pairs(round, i);
    for (int i = 0; i < l4::grid; ++i) k.run_grid(i);
  }
}

}  // namespace doall::bench
