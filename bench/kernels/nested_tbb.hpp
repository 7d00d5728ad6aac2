// oneTBB's loops for nests. `Partitioner`: simple_partitioner, auto_partitioner or
// affinity_partitioner.
//
// `grain` is that of the innermost loops, for whose iterations it is tuned. An outer
// iteration holds a loop and is a part by itself.
//
// The affinity partitioner is the outer loop's alone, where it can remember: of an inner
// loop there is one for each outer iteration, several at a time, and none outlives it. An
// inner loop gets what a user gets who names none.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

#include <functional>
#include <type_traits>

#include "kernels/nested_loops.hpp"

namespace doall::bench {

template <class Partitioner>
struct tbb_nest {
  using inner_partitioner =
      std::conditional_t<std::is_same_v<Partitioner, tbb::affinity_partitioner>,
                         tbb::auto_partitioner, Partitioner>;

  std::size_t grain;

  template <class Body>
  void outer(std::size_t count, const Body& body) const {
    static Partitioner partitioner;  // a loop's own: the affinity partitioner remembers
    each(range(0, count), body, partitioner);
  }

  template <class Body>
  void inner(std::size_t count, const Body& body) const {
    each(range(0, count, grain), body, inner_partitioner());
  }

  template <takes_range Body>
  auto inner_sum(std::size_t count, const Body& body) const {
    using value = std::invoke_result_t<const Body&, std::size_t, std::size_t>;
    return tbb::parallel_reduce(
        range(0, count, grain), value{},
        [&body](const range& part, value sum) { return sum + body(part.begin(), part.end()); },
        std::plus<>(), inner_partitioner());
  }

 private:
  using range = tbb::blocked_range<std::size_t>;

  template <class Body, class Chosen>
  static void each(const range& all, const Body& body, Chosen&& partitioner) {
    tbb::parallel_for(
        all, [&body](const range& part) { run_part(body, part.begin(), part.end()); }, partitioner);
  }
};

}  // namespace doall::bench
