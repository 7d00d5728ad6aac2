#include "kernels/spmv/nest.hpp"

namespace doall::bench {

void run_serial(spmv& k) { run_nest(k, serial_nest{}); }

}  // namespace doall::bench
