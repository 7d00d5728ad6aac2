// doall::parallel_for_each.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/blocks.h>
#include <doall/costs.hpp>
#include <doall/detail/callee.hpp>
#include <doall/detail/run.hpp>
#include <doall/options.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <ranges>
#include <source_location>

namespace doall {
inline namespace v0 {
namespace detail {

// Runs body(element) for elements that an index finds: each is an iteration.
template <class Range, class Body>
loop_end for_each_indexed(Range& range, Body& body, const loop_options& options,
                          const std::source_location& where) {
  using distance = std::ranges::range_difference_t<Range>;
  const auto first = std::ranges::begin(range);
  const auto elements = static_cast<std::uint64_t>(std::ranges::distance(range));
  const auto piece = [body = callee_for<Body, std::ranges::range_reference_t<Range>>(body), first](
                         std::uint64_t begin, std::uint64_t end, const auto& stop) {
    for (std::uint64_t i = begin; i < end; ++i) {
      if (stop.stop_requested()) return loop_end::stopped;
      body(first[static_cast<distance>(i)]);
    }
    return loop_end::completed;
  };
  return run(elements, piece, 0, 1, options, where);
}

// The same for elements that only a walk finds: the caller walks once and records where each block
// begins; a block is an iteration.
template <class Range, class Body>
loop_end for_each_walked(Range& range, Body& body, const loop_options& options,
                         const std::source_location& where) {
  const auto elements = static_cast<std::uint64_t>(std::ranges::distance(range));
  const index_costs costs(options.costs, elements);
  if (elements == 0) return loop_end::completed;
  const doall_cut cut = doall_cut_of(elements, 0);  // there is no value
  std::array<std::ranges::iterator_t<Range>, DOALL_MOST_BLOCKS>
      starts;  // the constructor may be explicit
  auto at = std::ranges::begin(range);
  for (std::uint64_t block = 0; block < cut.blocks; ++block) {
    starts[block] = at;
    for (std::uint64_t left = doall_block_length(cut, block); left > 0; --left) ++at;
  }
  const auto blocks = [&](std::uint64_t block, std::uint64_t end, const auto& stop) {
    for (; block < end; ++block) {
      auto element = starts[block];
      for (std::uint64_t left = doall_block_length(cut, block); left > 0; --left, ++element) {
        if (stop.stop_requested()) return loop_end::stopped;
        std::invoke(body, *element);
      }
    }
    return loop_end::completed;
  };
  return run_by_blocks(cut, blocks, costs, options, where);
}

}  // namespace detail

// Runs body(element) for every element of a range, in parallel, and returns when all have run.
// Elements are passed as the range's iterators give them, so that a body which takes a reference
// may change them. The rest is as in parallel_for.
//
// Range: any that can be walked several times. With random access (a vector, an array, a span,
// iota) each element is an iteration of the loop. Others (a list, a map, a filter_view) are cut
// into at most 256 blocks of consecutive elements, each an iteration: before the loop begins the
// caller walks the range once, and once more to count the elements of a range that does not know
// its size (a filter_view). So elements need enough work to be worth these walks. The options'
// costs are still those of elements, and a cost function gets an element's number. Elements must
// not share memory: a vector<bool> may only be read.
//
// Cost: as parallel_for, after O(N) steps of the caller's iterator unless access is random.
// Allocates no memory.
template <std::ranges::forward_range Range, class Body>
  requires std::invocable<Body&, std::ranges::range_reference_t<Range>>
loop_end parallel_for_each(Range&& range, Body&& body,
                           const loop_options& options = detail::constants.none,
                           const std::source_location& where = std::source_location::current()) {
  if constexpr (std::ranges::random_access_range<Range>) {
    return detail::for_each_indexed(range, body, options, where);
  } else {
    return detail::for_each_walked(range, body, options, where);
  }
}

}  // namespace v0
}  // namespace doall
