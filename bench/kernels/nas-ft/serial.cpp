#include "kernels/nas-ft/steps.hpp"
#include "kernels/serial_loops.hpp"

namespace doall::bench {

void run_serial(nas_ft& k) { run_steps(k, serial_loops{}); }

}  // namespace doall::bench
