// Every kernel's program on one thread, compiled once: the serial run that all others are measured
// by. Some kernels bring another, serial algorithm instead: it is in their own file.
#include "lanes/serial.hpp"

#include "kernels/inner_loops.hpp"
#include "kernels/programs.hpp"

namespace doall::bench {

template <class Kernel>
void run_serial(Kernel& k) {
  run(k, serial_loops{});
}

template void run_serial(adjoint_convolution&);
template void run_serial(advection&);
template void run_serial(breadth_first&);
template void run_serial(convolution&);
template void run_serial(floyd_warshall&);
template void run_serial(gauss&);
template void run_serial(head_heavy&);
template void run_serial(histogram&);
template void run_serial(hydro&);
template void run_serial(inner_loops&);
template void run_serial(l4&);
template void run_serial(late_start&);
template void run_serial(lattice_boltzmann&);
template void run_serial(linear_regression&);
template void run_serial(matmult&);
template void run_serial(nas_cg&);
template void run_serial(nas_ep&);
template void run_serial(nas_ft&);
template void run_serial(nas_is&);
template void run_serial(nas_mg&);
template void run_serial(parabolic&);
template void run_serial(queens&);
template void run_serial(quicksort&);
template void run_serial(sor&);
template void run_serial(spmv&);
template void run_serial(strided&);
template void run_serial(transitive_closure&);
template void run_serial(triangular&);
template void run_serial(tsp&);

}  // namespace doall::bench
