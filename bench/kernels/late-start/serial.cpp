#include "kernels/late-start/kernel.hpp"

namespace doall::bench {

void run_serial(late_start& k) {
  for (int i = 0; i < k.iterations(); ++i) k.run(i);
}

}  // namespace doall::bench
