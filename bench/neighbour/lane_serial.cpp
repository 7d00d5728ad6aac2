// The loop as everybody writes it first, on one thread.
//
//   neighbour-lane-serial [CPU]     pinned there
#include <cstdlib>

#include "burden/pin.hpp"
#include "kernels/uforall/runtimes.hpp"
#include "neighbour/lane.hpp"

int main(int argc, char** argv) {
  if (argc > 1) doall::bench::pin_calling_thread(std::atoi(argv[1]));
  doall::bench::serve("the compiler's own loop", 1, doall::bench::uforall::serial_variants());
}
