#include "kernels/tsp/nest.hpp"

namespace doall::bench {

void run_serial(tsp& k) { run_nest(k, serial_nest{}); }

}  // namespace doall::bench
