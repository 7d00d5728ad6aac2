// parallel_sort: in place.
#ifndef DOALL_COMPAT_PARALLEL_SORT_H
#define DOALL_COMPAT_PARALLEL_SORT_H

#include "../../../detail/quicksort.hpp"
#include "detail/loop.h"
#include "parallel_for.h"

#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// Whether elements lie side by side, as far as C++17 tells, and are compared without branches.
template <class Iterator, class Value = typename std::iterator_traits<Iterator>::value_type>
inline constexpr bool is_contiguous =
    std::is_pointer_v<Iterator> || std::is_same_v<Iterator, typename std::vector<Value>::iterator>;
template <class Iterator>
inline constexpr bool is_contiguous<Iterator, bool> = std::is_pointer_v<Iterator>;

template <class Less, class Value>
inline constexpr bool is_plain_order =
    std::is_same_v<Less, std::less<>> || std::is_same_v<Less, std::less<Value>> ||
    std::is_same_v<Less, std::greater<>> || std::is_same_v<Less, std::greater<Value>>;

template <class Iterator, class Less>
void sort_here(Iterator first, Iterator last, Less& less) {
  using value = typename std::iterator_traits<Iterator>::value_type;
  constexpr bool by_offsets =
      is_contiguous<Iterator> && std::is_arithmetic_v<value> && is_plain_order<Less, value>;
  int bad = 1;
  for (auto elements = last - first; elements > 1; elements /= 2) ++bad;
  task_group_context context;
  run_here(context, [&] {
    doall::detail::sort_range<by_offsets>(
        first, last, less, bad, [&](const auto& low, const auto& high) { both(low, high); });
  });
}

}  // namespace detail

// Equivalent elements may change places. Cost, and what an exception leaves: as doall's
// parallel_sort (doall/sort.hpp).
template <class Iterator, class Compare>
void parallel_sort(Iterator begin, Iterator end, const Compare& compare) {
  Compare less(compare);
  detail::sort_here(begin, end, less);
}
template <class Iterator>
void parallel_sort(Iterator begin, Iterator end) {
  parallel_sort(begin, end, std::less<typename std::iterator_traits<Iterator>::value_type>());
}
template <class Range, class Compare, class = decltype(std::begin(std::declval<Range&>()))>
void parallel_sort(Range&& range, const Compare& compare) {
  parallel_sort(std::begin(range), std::end(range), compare);
}
template <class Range>
void parallel_sort(Range&& range) {
  parallel_sort(std::begin(range), std::end(range));
}

}  // namespace doall_v0
}  // namespace tbb

#endif
