#include "kernels/triangular/kernel.hpp"

namespace doall::bench {

void run_serial(triangular& k) {
  for (int i = 0; i < k.iterations(); ++i) k.run(i);
}

}  // namespace doall::bench
