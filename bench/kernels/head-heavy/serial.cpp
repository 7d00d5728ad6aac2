#include "kernels/head-heavy/kernel.hpp"

namespace doall::bench {

void run_serial(head_heavy& k) {
  for (int i = 0; i < k.iterations(); ++i) k.run(i);
}

}  // namespace doall::bench
