#include "kernels/floyd-warshall/nest.hpp"

namespace doall::bench {

void run_serial(floyd_warshall& k) { run_nest(k, serial_nest{}); }

}  // namespace doall::bench
