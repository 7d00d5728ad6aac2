#include "kernels/queens/nest.hpp"

namespace doall::bench {

void run_serial(queens& k) { run_nest(k, serial_nest{}); }

}  // namespace doall::bench
