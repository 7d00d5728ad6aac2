// Quicksort, for doall::parallel_sort and oneTBB's (compat/). C++17.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace doall {
inline namespace v0 {
namespace detail {

// Ranges of at most so many elements are left to std::sort.
inline constexpr std::ptrdiff_t most_sorted_alone = 256;

// Both partitions put a pivot, the element at `first`, where it belongs, with no greater element
// before it and no smaller one behind it, and return its place. Elements that equal it go to both
// sides, so that many equal ones still halve the range. The range has three elements at least, and
// one each, beside the pivot, that is not smaller and not greater than it.

template <class Iterator, class Less>
Iterator partition_by_swaps(Iterator first, Iterator last, Less& less) {
  Iterator left = first;
  Iterator right = last;
  for (;;) {
    while (less(*++left, *first)) continue;
    while (less(*first, *--right)) continue;
    if (left >= right) break;
    std::iter_swap(left, right);
  }
  std::iter_swap(first, right);
  return right;
}

// Block partition (Edelkamp and Weiss, BlockQuicksort, 2016): which elements of a block are on the
// wrong side is noted without a branch, so nothing is mispredicted; then they are swapped.
template <class Iterator, class Less>
Iterator partition_by_offsets(Iterator first, Iterator last, Less& less) {
  constexpr std::ptrdiff_t block = 64;
  const auto pivot = *first;
  Iterator left = first + 1;
  Iterator right = last;
  std::array<std::uint8_t, block> of_left;
  std::array<std::uint8_t, block> of_right;
  std::ptrdiff_t lefts = 0;  // noted and not swapped yet: of_left[next_left] and further
  std::ptrdiff_t rights = 0;
  std::ptrdiff_t next_left = 0;
  std::ptrdiff_t next_right = 0;
  while (right - left > 2 * block) {
    if (lefts == 0) {
      next_left = 0;
      for (std::ptrdiff_t i = 0; i < block; ++i) {
        of_left[static_cast<std::size_t>(lefts)] = static_cast<std::uint8_t>(i);
        lefts += less(left[i], pivot) ? 0 : 1;
      }
    }
    if (rights == 0) {
      next_right = 0;
      for (std::ptrdiff_t i = 0; i < block; ++i) {
        of_right[static_cast<std::size_t>(rights)] = static_cast<std::uint8_t>(i);
        rights += less(pivot, right[-1 - i]) ? 0 : 1;
      }
    }
    const std::ptrdiff_t swaps = std::min(lefts, rights);
    for (std::ptrdiff_t i = 0; i < swaps; ++i) {
      std::iter_swap(left + of_left[static_cast<std::size_t>(next_left + i)],
                     right - 1 - of_right[static_cast<std::size_t>(next_right + i)]);
    }
    lefts -= swaps;
    rights -= swaps;
    next_left += swaps;
    next_right += swaps;
    if (lefts == 0) left += block;
    if (rights == 0) right -= block;
  }
  // What is left, a block with notes among it, is looked at once more.
  while (left < right) {
    if (less(*left, pivot)) {
      ++left;
    } else if (less(pivot, right[-1])) {
      --right;
    } else {
      std::iter_swap(left++, --right);
      continue;
    }
  }
  std::iter_swap(first, left - 1);
  return left - 1;
}

// Puts the middle one of three elements at `b`.
template <class Iterator, class Less>
void order_three(Iterator a, Iterator b, Iterator c, Less& less) {
  if (less(*b, *a)) std::iter_swap(a, b);
  if (!less(*c, *b)) return;
  std::iter_swap(b, c);
  if (less(*b, *a)) std::iter_swap(a, b);
}

// Puts a pivot at `first`: the median of three medians of three elements, from all over the range.
// One that is not smaller and one that is not greater are left behind it.
template <class Iterator, class Less>
void choose_pivot(Iterator first, Iterator last, Less& less) {
  const auto eighth = (last - first) / 8;
  const Iterator middle = first + (last - first) / 2;
  order_three(first + 1, first + eighth, first + 2 * eighth, less);
  order_three(middle - eighth, middle, middle + eighth, less);
  order_three(last - 1 - 2 * eighth, last - 1 - eighth, last - 1, less);
  order_three(first + eighth, middle, last - 1 - eighth, less);
  std::iter_swap(first, middle);
}

// Quicksort whose two halves run at once: both(f, g) calls f and g. After `bad_left` uneven
// partitions the rest is left to std::sort, which is never quadratic. ByOffsets: elements are
// compared without branches.
template <bool ByOffsets, class Iterator, class Less, class Both>
void sort_range(Iterator first, Iterator last, Less& less, int bad_left, const Both& both) {
  constexpr int uneven = 16;
  const auto elements = last - first;
  if (elements <= most_sorted_alone || bad_left == 0) {
    std::sort(first, last, std::ref(less));
    return;
  }
  // Ends at the first element that is out of order, as a rule one of the first few. Finds ranges
  // whose elements are all the same, too.
  if (std::is_sorted(first, last, std::ref(less))) return;
  choose_pivot(first, last, less);
  Iterator pivot;
  if constexpr (ByOffsets)
    pivot = partition_by_offsets(first, last, less);
  else
    pivot = partition_by_swaps(first, last, less);
  if (std::min(pivot - first, last - pivot) < elements / uneven) --bad_left;
  both([&] { sort_range<ByOffsets>(first, pivot, less, bad_left, both); },
       [&] { sort_range<ByOffsets>(pivot + 1, last, less, bad_left, both); });
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
