// The native door's loops for nests: one set of options for all loops, outer and inner.
//
// Sums are of integers, the same bits in any order: so whoever measures allows it,
// options.order = reduce_order::any, as the peers' reductions have it. To keep the order that
// is fixed, a row of some hundred non-zeros would be cut into 256 blocks.
#pragma once

#include <doall/doall.hpp>

#include <functional>

#include "kernels/nested_loops.hpp"

namespace doall::bench {

struct doall_nest {
  const loop_options& options;

  template <class Body>
  void outer(std::size_t count, const Body& body,
             const std::source_location& where = std::source_location::current()) const {
    parallel_for(
        std::size_t{0}, count,
        [&body](range<std::size_t> part) { run_part(body, part.first(), part.last()); }, options,
        where);
  }

  template <class Body>
  void inner(std::size_t count, const Body& body,
             const std::source_location& where = std::source_location::current()) const {
    outer(count, body, where);
  }

  template <takes_range Body>
  auto inner_sum(std::size_t count, const Body& body,
                 const std::source_location& where = std::source_location::current()) const {
    using value = std::invoke_result_t<const Body&, std::size_t, std::size_t>;
    return parallel_reduce(
        std::size_t{0}, count, value{},
        [&body](range<std::size_t> part) { return body(part.first(), part.last()); }, std::plus<>(),
        options, where);
  }
};

}  // namespace doall::bench
