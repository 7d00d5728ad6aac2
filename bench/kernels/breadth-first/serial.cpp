#include "kernels/breadth-first/nest.hpp"

namespace doall::bench {

void run_serial(breadth_first& k) { run_nest(k, serial_nest{}); }

}  // namespace doall::bench
