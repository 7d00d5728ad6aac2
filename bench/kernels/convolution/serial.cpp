#include "kernels/convolution/nest.hpp"

namespace doall::bench {

void run_serial(convolution& k) { run_nest(k, serial_nest{}); }

}  // namespace doall::bench
