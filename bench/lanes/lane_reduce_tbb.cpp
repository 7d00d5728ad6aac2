// oneTBB's lane.
//
//   lane-reduce-tbb THREADS CPU,CPU,...
#include "lanes/reduce_lane.hpp"
#include "lanes/tbb.hpp"
#include "lanes/tbb_arena.hpp"

namespace {

using namespace doall::bench;

// reduce(iterations, add, merge) is one of kernels/tbb_reduce.hpp.
template <class DotReduce, class CountReduce>
reductions by(const std::string& name, DotReduce reduce_dot, CountReduce reduce_counts) {
  return {name,
          [=](std::span<const double> x, std::span<const double> y) {
            return reduce_dot(
                x.size(), [x, y](double& sum, std::size_t i) { sum += x[i] * y[i]; },
                [](double& sum, double other) { sum += other; });
          },
          [=](std::span<const std::uint8_t> bytes) {
            return reduce_counts(
                bytes.size(), [bytes](byte_counts& counts, std::size_t i) { ++counts[bytes[i]]; },
                [](byte_counts& counts, const byte_counts& others) { add(counts, others); });
          }};
}

template <class Partitioner>
reductions by_partitioner(const std::string& name) {
  return by(
      name, [](auto... loop) { return tbb_reduce<double, Partitioner>(loop...); },
      [](auto... loop) { return tbb_reduce<byte_counts, Partitioner>(loop...); });
}

}  // namespace

int main(int, char** argv) {
  tbb_arena arena(argv);
  serve_reduce(
      {.library = tbb_arena::library(),
       .threads = arena.threads(),
       .offered = {by_partitioner<tbb::static_partitioner>("static_partitioner"),
                   by_partitioner<tbb::auto_partitioner>("auto_partitioner"),
                   by(
                       "deterministic",
                       [](auto... loop) { return tbb_reduce_deterministically<double>(loop...); },
                       [](auto... loop) {
                         return tbb_reduce_deterministically<byte_counts>(loop...);
                       })},
       .enter = [&](const std::function<void()>& run) { arena.execute(run); }});
}
