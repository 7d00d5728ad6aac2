#include "kernels/sor/kernel.hpp"

namespace doall::bench {

void run_serial(sor& k) {
  for (int sweep = 0; sweep < k.sweeps(); ++sweep) {
    for (const int colour : {0, 1}) {
      for (int j = 1; j <= k.n(); ++j) k.update_row(colour, j);
    }
  }
}

}  // namespace doall::bench
