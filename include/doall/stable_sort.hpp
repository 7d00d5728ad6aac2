// doall::parallel_stable_sort and doall::parallel_sort_by_key.
//
// Merge sort whose halves, and whose merges, run at once: a merge is split at the middle of its
// longer side, and where that element belongs in the other one. Elements go to and fro between the
// range and a buffer, one level a direction, so each level moves each element once.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/for.hpp>
#include <doall/range.hpp>
#include <doall/tasks.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

inline constexpr std::ptrdiff_t most_merged_alone = 4096;
inline constexpr std::ptrdiff_t most_stably_sorted_alone = 1024;

// Elements that equal each other: x's come first.
template <class From, class To, class Less>
void merge_moving(From x, From x_end, From y, From y_end, To out, Less& less) {
  const auto xs = x_end - x;
  const auto ys = y_end - y;
  if (xs + ys <= most_merged_alone) {
    // `less` gets elements where they lie: it may take values, which would be moved from else.
    const auto of_elements = [&less](auto&& a, auto&& b) -> bool {
      return std::invoke(less, a, b);
    };
    std::merge(std::make_move_iterator(x), std::make_move_iterator(x_end),
               std::make_move_iterator(y), std::make_move_iterator(y_end), out, of_elements);
    return;
  }
  From x_middle = x + xs / 2;
  From y_middle = y + ys / 2;
  if (xs < ys)
    x_middle = std::upper_bound(x, x_end, *y_middle, std::ref(less));
  else
    y_middle = std::lower_bound(y, y_end, *x_middle, std::ref(less));
  const To middle = out + ((x_middle - x) + (y_middle - y));
  parallel_invoke([&] { merge_moving(x, x_middle, y, y_middle, out, less); },
                  [&] { merge_moving(x_middle, x_end, y_middle, y_end, middle, less); });
}

// Sorts n elements at `from`; the result is at `to` if into_other, else at `from`.
template <class From, class To, class Less>
void merge_sort(From from, To to, std::ptrdiff_t n, bool into_other, Less& less) {
  if (n <= most_stably_sorted_alone) {
    std::stable_sort(from, from + n, std::ref(less));
    if (into_other) std::move(from, from + n, to);
    return;
  }
  const std::ptrdiff_t half = n / 2;
  parallel_invoke([&] { merge_sort(from, to, half, !into_other, less); },
                  [&] { merge_sort(from + half, to + half, n - half, !into_other, less); });
  if (into_other)
    merge_moving(from, from + half, from + half, from + n, to, less);
  else
    merge_moving(to, to + half, to + half, to + n, from, less);
}

// Memory with an object in each place, made by make(place, number) in parallel, which does not
// throw.
template <class Value>
class made_in_parallel {
 public:
  template <class Make>
  made_in_parallel(std::ptrdiff_t n, const Make& make) : n_(n) {
    if (static_cast<std::size_t>(n) > SIZE_MAX / sizeof(Value)) throw std::bad_array_new_length();
    at_ = static_cast<Value*>(operator new(static_cast<std::size_t>(n) * sizeof(Value),
                                           std::align_val_t(alignof(Value))));
    parallel_for(std::ptrdiff_t{0}, n, [&](std::ptrdiff_t i) { make(at_ + i, i); });
  }
  ~made_in_parallel() {
    std::destroy_n(at_, n_);
    operator delete(at_, std::align_val_t(alignof(Value)));
  }
  made_in_parallel(const made_in_parallel&) = delete;
  made_in_parallel& operator=(const made_in_parallel&) = delete;
  Value* begin() const { return at_; }

 private:
  Value* at_;
  std::ptrdiff_t n_;
};

}  // namespace detail

// Sorts a range with random access in parallel, by less(a, b); equivalent elements keep their
// order. Several threads call less at once. The first exception that leaves it is rethrown here;
// then elements may be lost.
//
// Elements: moving one does not throw. Cost: O(N log N) comparisons and moves, and memory for
// another N elements.
template <std::ranges::random_access_range Range, class Less = std::ranges::less>
  requires std::sortable<std::ranges::iterator_t<Range>, Less> &&
           std::is_nothrow_move_constructible_v<std::ranges::range_value_t<Range>>
void parallel_stable_sort(Range&& range, Less less = {}) {
  using value = std::ranges::range_value_t<Range>;
  const auto first = std::ranges::begin(range);
  const auto n = static_cast<std::ptrdiff_t>(std::ranges::distance(range));
  if (n <= detail::most_stably_sorted_alone) {
    std::stable_sort(first, first + n, std::ref(less));
    return;
  }
  using distance = std::ranges::range_difference_t<Range>;
  const detail::made_in_parallel<value> buffer(n, [&](value* place, std::ptrdiff_t i) {
    std::construct_at(place, std::ranges::iter_move(first + static_cast<distance>(i)));
  });
  detail::merge_sort(buffer.begin(), first, n, true, less);
}

// Sorts keys, and puts values[i] where keys[i] comes to lie. Equivalent keys keep their order.
// Throws std::invalid_argument for ranges of different lengths. All else as above; the memory is
// for 2 N pairs.
template <std::ranges::random_access_range Keys, std::ranges::random_access_range Values,
          class Less = std::ranges::less>
  requires std::sortable<std::ranges::iterator_t<Keys>, Less> &&
           std::permutable<std::ranges::iterator_t<Values>> &&
           std::is_nothrow_move_constructible_v<std::ranges::range_value_t<Keys>> &&
           std::is_nothrow_move_constructible_v<std::ranges::range_value_t<Values>>
void parallel_sort_by_key(Keys&& keys, Values&& values, Less less = {}) {
  struct pair {
    std::ranges::range_value_t<Keys> key;
    std::ranges::range_value_t<Values> value;
  };
  const auto key = std::ranges::begin(keys);
  const auto value = std::ranges::begin(values);
  const auto n = static_cast<std::ptrdiff_t>(std::ranges::distance(keys));
  if (n != static_cast<std::ptrdiff_t>(std::ranges::distance(values))) {
    throw std::invalid_argument(
        "doall::parallel_sort_by_key: keys and values have different lengths, expected a value for "
        "each key; nothing is changed");
  }
  using key_distance = std::ranges::range_difference_t<Keys>;
  using value_distance = std::ranges::range_difference_t<Values>;
  const detail::made_in_parallel<pair> pairs(n, [&](pair* place, std::ptrdiff_t i) {
    ::new (static_cast<void*>(place))
        pair{std::ranges::iter_move(key + static_cast<key_distance>(i)),
             std::ranges::iter_move(value + static_cast<value_distance>(i))};
  });
  pair* const all = pairs.begin();
  parallel_stable_sort(std::ranges::subrange(all, all + n), [&](const pair& a, const pair& b) {
    return std::invoke(less, a.key, b.key);
  });
  parallel_for(std::ptrdiff_t{0}, n, [&](std::ptrdiff_t i) {
    key[static_cast<key_distance>(i)] = std::move(all[i].key);
    value[static_cast<value_distance>(i)] = std::move(all[i].value);
  });
}

}  // namespace v0
}  // namespace doall
