#include <algorithm>
#include <limits>

#include "kernels/hydro/steps.hpp"

namespace doall::bench {
namespace {

struct runtime_loops {
  void each(int first, int last, const auto& body) const {
#pragma omp parallel for schedule(runtime)
    for (int i = first; i < last; ++i) body(i);
  }
  double least(int first, int last, const auto& body) const {
    double least = std::numeric_limits<double>::infinity();
#pragma omp parallel for schedule(runtime) reduction(min : least)
    for (int i = first; i < last; ++i) least = std::min(least, body(i));
    return least;
  }
};

struct static_loops {
  void each(int first, int last, const auto& body) const {
#pragma omp parallel for schedule(static)
    for (int i = first; i < last; ++i) body(i);
  }
  double least(int first, int last, const auto& body) const {
    double least = std::numeric_limits<double>::infinity();
#pragma omp parallel for schedule(static) reduction(min : least)
    for (int i = first; i < last; ++i) least = std::min(least, body(i));
    return least;
  }
};

}  // namespace

void run_omp(hydro& k) { run_steps(k, runtime_loops{}); }
void run_omp_static(hydro& k) { run_steps(k, static_loops{}); }

}  // namespace doall::bench
