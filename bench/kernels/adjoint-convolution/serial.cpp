#include "kernels/adjoint-convolution/kernel.hpp"

namespace doall::bench {

void run_serial(adjoint_convolution& k) {
  for (int i = 0; i < k.iterations(); ++i) k.convolve(i);
}

}  // namespace doall::bench
