// doall::parallel_sort.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/detail/quicksort.hpp>
#include <doall/detail/sums.hpp>
#include <doall/tasks.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// Whether elements are compared without branches (partition_by_offsets).
template <class Iterator, class Less>
inline constexpr bool compares_fast =
    std::contiguous_iterator<Iterator> && std::is_arithmetic_v<std::iter_value_t<Iterator>> &&
    is_one_of<Less, std::less<>, std::less<std::iter_value_t<Iterator>>, std::ranges::less,
              std::greater<>, std::greater<std::iter_value_t<Iterator>>, std::ranges::greater>;

}  // namespace detail

// Sorts a range with random access in place, in parallel, by less(a, b). Elements that are
// equivalent may change places, always in the same way: the result does not depend on the number of
// threads. Several threads call less at once. The first exception that leaves it is rethrown here;
// then elements may be lost, as in std::sort.
//
// Cost: O(N log N) comparisons; the first partition, N of them, is one thread's, so no more than
// some log2(N) / 2 threads help. N - 1 comparisons if all are in order. Allocates no memory.
// Numbers in their usual orders are partitioned without branches.
template <std::ranges::random_access_range Range, class Less = std::ranges::less>
  requires std::sortable<std::ranges::iterator_t<Range>, Less> &&
           requires(Less& less, std::ranges::range_reference_t<Range> a) { less(a, a); }
void parallel_sort(Range&& range, Less less = {}) {
  const auto first = std::ranges::begin(range);
  const auto last = first + std::ranges::distance(range);
  const auto elements = static_cast<std::uint64_t>(last - first);
  using iterator = std::ranges::iterator_t<Range>;
  detail::sort_range<detail::compares_fast<iterator, Less>>(
      first, last, less, static_cast<int>(std::bit_width(elements)),
      [](const auto& low, const auto& high) { parallel_invoke(low, high); });
}

}  // namespace v0
}  // namespace doall
