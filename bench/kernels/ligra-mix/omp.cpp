#include "kernels/ligra-mix/steps.hpp"

namespace doall::bench {
namespace {

struct omp_loops {
  template <grain Grain, class Body>
  void each(std::size_t count, const Body& body, const std::source_location&) const {
    if constexpr (Grain == grain::fine) {
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < count; ++i) body(i);
    } else {
#pragma omp parallel for schedule(dynamic, 64)
      for (std::size_t i = 0; i < count; ++i) body(i);
    }
  }

  template <class Body>
  std::uint64_t sum(std::size_t count, const Body& body, const std::source_location&) const {
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::size_t i = 0; i < count; ++i) sum += body(i);
    return sum;
  }
};

}  // namespace

void run_omp_static(bfs& k) { run_timed(k, omp_loops{}); }
void run_omp_static(betweenness& k) { run_timed(k, omp_loops{}); }
void run_omp_static(components& k) { run_timed(k, omp_loops{}); }
void run_omp_static(pagerank& k) { run_timed(k, omp_loops{}); }

}  // namespace doall::bench
