#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <limits>

#include "kernels/hydro/steps.hpp"

namespace doall::bench {
namespace {

// A partitioner a loop: the affinity partitioner remembers who ran what.
template <class Partitioner>
struct tbb_loops {
  using range = tbb::blocked_range<int>;

  void each(int first, int last, const auto& body) const {
    static Partitioner partitioner;
    tbb::parallel_for(
        range(first, last),
        [&body](const range& part) {
          for (int i = part.begin(); i < part.end(); ++i) body(i);
        },
        partitioner);
  }
  double least(int first, int last, const auto& body) const {
    static Partitioner partitioner;
    return tbb::parallel_reduce(
        range(first, last), std::numeric_limits<double>::infinity(),
        [&body](const range& part, double least) {
          for (int i = part.begin(); i < part.end(); ++i) least = std::min(least, body(i));
          return least;
        },
        [](double a, double b) { return std::min(a, b); }, partitioner);
  }
};

}  // namespace

template <class Partitioner>
void run_tbb(hydro& k) {
  run_steps(k, tbb_loops<Partitioner>{});
}

template void run_tbb<tbb::static_partitioner>(hydro& k);
template void run_tbb<tbb::auto_partitioner>(hydro& k);
template void run_tbb<tbb::affinity_partitioner>(hydro& k);

}  // namespace doall::bench
