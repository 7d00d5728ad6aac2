#include "kernels/serial_loops.hpp"
#include "kernels/strided/steps.hpp"

namespace doall::bench {

void run_serial(strided& k) { run_steps(k, serial_loops{}); }

}  // namespace doall::bench
