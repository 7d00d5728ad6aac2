// doall::parallel_find and doall::parallel_pack: the first element that fits, and all that do.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/blocks.h>
#include <doall/costs.hpp>
#include <doall/detail/run.hpp>
#include <doall/options.hpp>

#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>

namespace doall {
inline namespace v0 {
namespace detail {

// So many elements are looked at before a worker asks whether another one has found an earlier one,
// or a stop is requested.
inline constexpr std::uint64_t looked_at_once = 1024;

template <class Range, class Predicate>
concept can_look = std::ranges::random_access_range<Range> && std::ranges::sized_range<Range> &&
                   std::predicate<Predicate&, std::ranges::range_reference_t<Range>>;

}  // namespace detail

// Returns an iterator to the first element of `range` for which fits(element) is true; its end if
// there is none. Always the first one, whichever is found when.
//
// Several threads call fits at once, also for some elements behind the one that is found: a worker
// ends after 1,024 more. Exceptions and options as in parallel_for; a requested stop, too, ends a
// worker after 1,024 more at most, and throws doall::stopped, unless all had been looked at.
// Cost: as parallel_for. Allocates no memory.
template <class Range, class Predicate>
  requires detail::can_look<Range, Predicate> && std::ranges::borrowed_range<Range>
std::ranges::iterator_t<Range> parallel_find_if(
    Range&& range, Predicate&& fits, const loop_options& options = detail::constants.none,
    const std::source_location& where = std::source_location::current()) {
  using distance = std::ranges::range_difference_t<Range>;
  const auto first = std::ranges::begin(range);
  const auto elements = static_cast<std::uint64_t>(std::ranges::distance(range));
  std::atomic<std::uint64_t> found{elements};
  const auto look = [&](std::uint64_t i, std::uint64_t end, const auto& stop) {
    while (i < end) {
      // (1) relaxed; alone: the loop's join orders what the caller reads
      if (i >= found.load(std::memory_order_relaxed)) return loop_end::completed;
      if (stop.stop_requested()) return loop_end::stopped;
      const std::uint64_t to = end - i > detail::looked_at_once ? i + detail::looked_at_once : end;
      for (; i < to; ++i) {
        if (!std::invoke(fits, first[static_cast<distance>(i)])) continue;
        std::uint64_t before = found.load(std::memory_order_relaxed);
        // (2) relaxed; alone: as (1)
        while (i < before && !found.compare_exchange_weak(before, i, std::memory_order_relaxed)) {
          continue;
        }
        return loop_end::completed;
      }
    }
    return loop_end::completed;
  };
  if (detail::run(elements, look, 0, 1, options, where) == loop_end::stopped) throw stopped();
  return first + static_cast<distance>(found.load(std::memory_order_relaxed));
}

// The same for the first element that equals `value`.
template <class Range, class Value>
  requires std::ranges::random_access_range<Range> && std::ranges::borrowed_range<Range> &&
           std::equality_comparable_with<std::ranges::range_reference_t<Range>, const Value&>
std::ranges::iterator_t<Range> parallel_find(
    Range&& range, const Value& value, const loop_options& options = detail::constants.none,
    const std::source_location& where = std::source_location::current()) {
  return parallel_find_if(
      range, [&](const auto& element) { return element == value; }, options, where);
}

// Copies the elements for which fits(element) is true to `out`, in their order, and returns how
// many there are. `out` has room for them and lies elsewhere.
//
// Calls fits twice for each element: to count, and to copy. Exceptions and options as in
// parallel_for; the costs are those of elements. A requested stop throws doall::stopped, and
// results may be missing. Cost: two loops of at most 256 iterations. Allocates no memory.
template <class Range, class Out, class Predicate>
  requires detail::can_look<Range, Predicate> && std::random_access_iterator<Out> &&
           std::indirectly_writable<Out, std::ranges::range_reference_t<Range>>
std::uint64_t parallel_pack(Range&& range, Out out, Predicate&& fits,
                            const loop_options& options = detail::constants.none,
                            const std::source_location& where = std::source_location::current()) {
  using distance = std::ranges::range_difference_t<Range>;
  const auto first = std::ranges::begin(range);
  const auto elements = static_cast<std::uint64_t>(std::ranges::distance(range));
  const doall_cut cut = doall_cut_of(elements, 0);
  std::array<std::uint64_t, DOALL_MOST_BLOCKS> places{};
  const detail::index_costs costs(options.costs, elements);
  // visit(element, block) for each element that fits.
  const auto over = [&](const auto& visit) {
    const auto blocks = [&](std::uint64_t block, std::uint64_t last, const auto& stop) {
      for (; block < last; ++block) {
        const std::uint64_t end = doall_cut_begin(cut, block + 1);
        for (std::uint64_t i = doall_cut_begin(cut, block); i < end; ++i) {
          if (stop.stop_requested()) return loop_end::stopped;
          auto&& element = first[static_cast<distance>(i)];
          if (std::invoke(fits, element)) visit(element, block);
        }
      }
      return loop_end::completed;
    };
    if (detail::run_by_blocks(cut, blocks, costs, options, where) == loop_end::stopped)
      throw stopped();
  };
  if (elements == 0) return 0;
  over([&](const auto&, std::uint64_t block) { ++places[block]; });
  std::uint64_t all = 0;
  for (std::uint64_t b = 0; b < cut.blocks; ++b) {
    const std::uint64_t own = places[b];
    places[b] = all;
    all += own;
  }
  over([&](auto& element, std::uint64_t block) {
    out[static_cast<std::iter_difference_t<Out>>(places[block]++)] = element;
  });
  return all;
}

}  // namespace v0
}  // namespace doall
