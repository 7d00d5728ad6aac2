#include "kernels/uforall/runtimes.hpp"

namespace doall::bench::uforall {

std::vector<variant> serial_variants() {
  variant v{"serial", {}};
  v.at.fill([](loop_size s) {
    for (std::int64_t i = 0; i < s.iterations; ++i) iterate(i, s.units);
  });
  return {v};
}

}  // namespace doall::bench::uforall
