// The native door's lane.
#include <doall/doall.hpp>

#include "kernels/uforall/runtimes.hpp"
#include "neighbour/lane.hpp"

int main() {
  doall::bench::serve(std::string("libdoall ") + doall_version(), doall_threads(),
                      doall::bench::uforall::doall_variants());
}
