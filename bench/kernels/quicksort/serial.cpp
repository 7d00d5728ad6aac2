#include "kernels/quicksort/nest.hpp"

namespace doall::bench {

void run_serial(quicksort& k) { run_nest(k, serial_nest{}, 1); }

}  // namespace doall::bench
