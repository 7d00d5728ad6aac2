#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/ligra-mix/steps.hpp"
#include "kernels/tbb_reduce.hpp"

namespace doall::bench {
namespace {

template <class Partitioner>
struct tbb_loops {
  template <grain Grain, class Body>
  void each(std::size_t count, const Body& body, const std::source_location&) const {
    using chosen = std::conditional_t<Grain == grain::fine, Partitioner, tbb::auto_partitioner>;
    static chosen partitioner;  // a loop's own: the affinity partitioner remembers
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count),
        [&body](const tbb::blocked_range<std::size_t>& part) {
          for (std::size_t i = part.begin(); i < part.end(); ++i) body(i);
        },
        partitioner);
  }

  template <class Body>
  std::uint64_t sum(std::size_t count, const Body& body, const std::source_location&) const {
    return tbb_reduce<std::uint64_t, Partitioner>(
        count, [&body](std::uint64_t& sum, std::size_t i) { sum += body(i); },
        [](std::uint64_t& sum, std::uint64_t other) { sum += other; });
  }
};

}  // namespace

template <class Partitioner>
void run_tbb(bfs& k) {
  run_timed(k, tbb_loops<Partitioner>{});
}
template <class Partitioner>
void run_tbb(betweenness& k) {
  run_timed(k, tbb_loops<Partitioner>{});
}
template <class Partitioner>
void run_tbb(components& k) {
  run_timed(k, tbb_loops<Partitioner>{});
}
template <class Partitioner>
void run_tbb(pagerank& k) {
  run_timed(k, tbb_loops<Partitioner>{});
}

template void run_tbb<tbb::static_partitioner>(bfs& k);
template void run_tbb<tbb::auto_partitioner>(bfs& k);
template void run_tbb<tbb::affinity_partitioner>(bfs& k);
template void run_tbb<tbb::static_partitioner>(betweenness& k);
template void run_tbb<tbb::auto_partitioner>(betweenness& k);
template void run_tbb<tbb::affinity_partitioner>(betweenness& k);
template void run_tbb<tbb::static_partitioner>(components& k);
template void run_tbb<tbb::auto_partitioner>(components& k);
template void run_tbb<tbb::affinity_partitioner>(components& k);
template void run_tbb<tbb::static_partitioner>(pagerank& k);
template void run_tbb<tbb::auto_partitioner>(pagerank& k);
template void run_tbb<tbb::affinity_partitioner>(pagerank& k);

}  // namespace doall::bench
