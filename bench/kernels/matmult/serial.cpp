#include "kernels/matmult/nest.hpp"

namespace doall::bench {

void run_serial(matmult& k) { run_nest(k, serial_nest{}); }

}  // namespace doall::bench
