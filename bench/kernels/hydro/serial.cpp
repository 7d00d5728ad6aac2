#include <algorithm>
#include <limits>

#include "kernels/hydro/steps.hpp"

namespace doall::bench {
namespace {

struct serial_loops {
  void each(int first, int last, const auto& body) const {
    for (int i = first; i < last; ++i) body(i);
  }
  double least(int first, int last, const auto& body) const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = first; i < last; ++i) least = std::min(least, body(i));
    return least;
  }
};

}  // namespace

void run_serial(hydro& k) { run_steps(k, serial_loops{}); }

}  // namespace doall::bench
