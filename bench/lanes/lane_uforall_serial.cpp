// The lane that takes T: the loop as everybody writes it first, on one thread.
//
//   lane-uforall-serial [CPU]     pinned there
#include <cstdlib>

#include "lanes/pin.hpp"
#include "lanes/uforall.hpp"

namespace doall::bench::uforall {
namespace {

std::vector<variant> serial_variants() {
  variant v{"serial", {}};
  v.at.fill([](loop_size s) {
    for (std::int64_t i = 0; i < s.iterations; ++i) iterate(i, s.units);
  });
  return {v};
}

}  // namespace
}  // namespace doall::bench::uforall

int main(int argc, char** argv) {
  if (argc > 1) doall::bench::pin_calling_thread(std::atoi(argv[1]));
  doall::bench::serve_uforall("the compiler's own loop", 1,
                              doall::bench::uforall::serial_variants());
}
