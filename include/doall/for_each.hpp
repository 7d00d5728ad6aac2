// doall::parallel_for_each.
#pragma once

#include <doall/blocks.h>
#include <doall/detail/block_costs.h>
#include <doall/costs.hpp>
#include <doall/detail/callee.hpp>
#include <doall/detail/run.hpp>
#include <doall/options.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <ranges>
#include <source_location>

namespace doall {
inline namespace v0 {
namespace detail {

// body(element) for the elements that an index finds: each is an iteration.
template <class Range, class Body>
loop_end for_each_indexed(Range& range, Body& body, const loop_options& options,
                          const std::source_location& where) {
  using distance = std::ranges::range_difference_t<Range>;
  const auto first = std::ranges::begin(range);
  const auto elements = static_cast<std::uint64_t>(std::ranges::distance(range));
  const told_costs costs(options.costs, elements);
  return run({elements, elements, costs.raw(), where}, options,
             [body = callee_for<Body, std::ranges::range_reference_t<Range>>(body), first](
                 std::uint64_t begin, std::uint64_t end, const auto& stop) {
               for (std::uint64_t i = begin; i < end; ++i) {
                 if (stop.stop_requested()) return loop_end::stopped;
                 body(first[static_cast<distance>(i)]);
               }
               return loop_end::completed;
             });
}

// The same for elements that only a walk finds: the caller walks once and keeps
// where each block begins, and a block is an iteration.
template <class Range, class Body>
loop_end for_each_walked(Range& range, Body& body, const loop_options& options,
                         const std::source_location& where) {
  const auto elements = static_cast<std::uint64_t>(std::ranges::distance(range));
  if (elements == 0) return loop_end::completed;
  const doall_cut cut = doall_cut_of(elements, 0);  // there is no value
  std::array<std::ranges::iterator_t<Range>, DOALL_MOST_BLOCKS> starts{};
  auto at = std::ranges::begin(range);
  for (std::uint64_t block = 0; block < cut.blocks; ++block) {
    starts[block] = at;
    for (std::uint64_t left = doall_block_length(cut, block); left > 0; --left) ++at;
  }
  const told_costs costs(options.costs, elements);
  doall_block_costs of_blocks;
  return run({cut.blocks, elements, doall_block_costs_make(&of_blocks, cut, costs.raw()), where},
             options, [&](std::uint64_t block, std::uint64_t end, const auto& stop) {
               for (; block < end; ++block) {
                 auto element = starts[block];
                 for (std::uint64_t left = doall_block_length(cut, block); left > 0;
                      --left, ++element) {
                   if (stop.stop_requested()) return loop_end::stopped;
                   body(*element);
                 }
               }
               return loop_end::completed;
             });
}

}  // namespace detail

// Runs body(element) for every element of a range, in parallel, and returns when
// all have run. Elements are passed as the range's iterators give them, so that a
// body which takes a reference may change them. The rest is as in parallel_for.
//
// Range: any that can be walked twice. With random access (a vector, an array, a
// span, iota) each element is an iteration of the loop. Others (a list, a map, a
// filter_view) are cut into at most 256 blocks of consecutive elements, each an
// iteration: the caller walks through the range once before the loop begins, so
// elements want enough work to be worth a second walk; the options' costs are
// still one an element, whose number a cost function gets. Elements must not share memory: of a
// vector<bool> only reading is safe.
//
// Cost: as parallel_for, after O(N) steps of the caller's iterator unless access
// is random. No memory is allocated.
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
