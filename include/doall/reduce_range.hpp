// doall::parallel_reduce over a container or any other range.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/blocks.h>
#include <doall/detail/callee.hpp>
#include <doall/options.hpp>
#include <doall/range.hpp>
#include <doall/reduce.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// Where the blocks of a range begin that must be walked, as reductions in the fixed order cut it.
template <class Iterator>
class block_starts {
 public:
  block_starts(Iterator first, std::uint64_t elements, std::size_t value_bytes)
      : cut_(doall_cut_of(elements, value_bytes)) {
    for (std::uint64_t block = 0; block < cut_.blocks; ++block) {
      starts_[block] = first;
      for (std::uint64_t left = doall_block_length(cut_, block); left > 0; --left) ++first;
    }
  }

  // O(elements of a block), and O(1) where a block begins.
  Iterator at(std::uint64_t element) const {
    std::uint64_t before = 0;
    std::uint64_t behind = cut_.blocks;
    while (behind - before > 1) {
      const std::uint64_t middle = before + (behind - before) / 2;
      (doall_cut_begin(cut_, middle) <= element ? before : behind) = middle;
    }
    Iterator found = starts_[before];
    for (std::uint64_t i = doall_cut_begin(cut_, before); i < element; ++i) ++found;
    return found;
  }

 private:
  doall_cut cut_;
  std::array<Iterator, DOALL_MOST_BLOCKS> starts_;  // the constructor may be explicit
};

}  // namespace detail

// Combines body(element) over the elements of a range, and returns the result; `identity` for an
// empty range:
//
//   double norm = doall::parallel_reduce(x, 0.0, [](double e) { return e * e; }, std::plus<>{});
//
// Range: any that can be walked twice. With random access an element is an index of the reduction.
// Others are walked by the caller before, as in parallel_for_each. Bits, order, exceptions, stops
// and cost are those of the reduction over indices, in reduce.hpp.
template <std::ranges::forward_range Range, std::copyable Value, class Body, class Combine>
  requires std::invocable<Body&, std::ranges::range_reference_t<Range>> &&
           std::invocable<Combine&, Value, Value>
Value parallel_reduce(Range&& range, Value identity, Body&& body, Combine&& combine,
                      const loop_options& options = detail::constants.none,
                      const std::source_location& where = std::source_location::current()) {
  const auto first = std::ranges::begin(range);
  using iterator = std::ranges::iterator_t<Range>;
  const auto elements = static_cast<std::uint64_t>(std::ranges::distance(range));
  if constexpr (std::ranges::random_access_range<Range>) {
    using distance = std::ranges::range_difference_t<Range>;
    using element = std::ranges::range_reference_t<Range>;
    using found = std::invoke_result_t<Body&, element>;
    // What refers into an element that is made for this call is no longer there after it.
    constexpr bool stays = std::is_lvalue_reference_v<element> && std::is_lvalue_reference_v<found>;
    using result = std::conditional_t<stays, found, std::remove_cvref_t<found>>;
    const auto term = [body = detail::callee_for<Body, std::ranges::range_reference_t<Range>>(body),
                       first](std::uint64_t i) -> result {
      return body(first[static_cast<distance>(i)]);
    };
    return parallel_reduce(std::uint64_t{0}, elements, std::move(identity), term, combine, options,
                           where);
  } else {
    const detail::block_starts<iterator> starts(first, elements, sizeof(Value));
    const auto terms = [&](const doall::range<std::uint64_t>& part) {
      Value sum = identity;
      iterator at = starts.at(part.first());
      for (std::uint64_t left = part.size(); left > 0; --left, ++at)
        sum = std::invoke(combine, std::move(sum), std::invoke(body, *at));
      return sum;
    };
    return parallel_reduce(std::uint64_t{0}, elements, identity, terms, combine, options, where);
  }
}

// The same of the elements themselves: parallel_reduce(x, 0.0, std::plus<>{}).
template <std::ranges::forward_range Range, std::copyable Value, class Combine>
  requires std::invocable<Combine&, Value, Value> &&
           std::invocable<Combine&, Value, std::ranges::range_reference_t<Range>>
Value parallel_reduce(Range&& range, Value identity, Combine&& combine,
                      const loop_options& options = detail::constants.none,
                      const std::source_location& where = std::source_location::current()) {
  return parallel_reduce(range, std::move(identity), std::identity(), combine, options, where);
}

}  // namespace v0
}  // namespace doall
