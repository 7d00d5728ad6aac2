// The recursions, written once over the forks of some runtime:
//
//   invoke(first, second)          calls both, in parallel
//   each(count, wanted, body)      calls body(i) for those i from 0 to count - 1 that are wanted,
//                                  in parallel; whoever deals tasks one by one asks first, a loop
//                                  asks in its iterations
//
// Nothing is cut off but where the program says so, for every runtime alike.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>

#include "lanes/recursion_kernels.hpp"

namespace doall::bench {

// Without any runtime: the serial elision.
struct serial_forks {
  template <class First, class Second>
  void invoke(const First& first, const Second& second) const {
    first();
    second();
  }
  template <class Wanted, class Body>
  void each(std::size_t count, const Wanted& wanted, const Body& body) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (wanted(i)) body(i);
    }
  }
};

inline constexpr auto all_wanted = [](std::size_t) { return true; };

template <class Forks>
std::uint64_t fib(const Forks& forks, unsigned n) {
  if (n < 2) return n;
  std::uint64_t one = 0;
  std::uint64_t other = 0;
  forks.invoke([&] { one = fib(forks, n - 1); }, [&] { other = fib(forks, n - 2); });
  return one + other;
}

template <class Forks>
void run(fib_numbers& k, const Forks& forks) {
  k.set(fib(forks, k.n));
}

// How many full boards begin like b.
template <class Forks>
std::uint64_t boards(const Forks& forks, const queens::board& b, std::size_t n) {
  if (b.rows == n) return 1;
  std::array<std::uint64_t, 16> found{};
  forks.each(
      n, [&](std::size_t column) { return queens::is_safe(b, column); },
      [&](std::size_t column) {
        queens::board next = b;
        next.add(column);
        found[column] = boards(forks, next, n);
      });
  return std::reduce(found.begin(), found.end());
}

template <class Forks>
void run(all_queens& k, const Forks& forks) {
  k.set(boards(forks, {}, k.n));
}

template <class Forks>
std::uint64_t nodes_below(const Forks& forks, const tree_search& k, std::uint64_t node) {
  if (!tree_search::has_children(node)) return 1;
  std::array<std::uint64_t, tree_search::children> found{};
  forks.each(found.size(), all_wanted,
             [&](std::size_t i) { found[i] = nodes_below(forks, k, k.child(node, i)); });
  return std::reduce(found.begin(), found.end(), std::uint64_t{1});
}

template <class Forks>
void run(tree_search& k, const Forks& forks) {
  std::vector<std::uint64_t> found(k.root_children);
  forks.each(found.size(), all_wanted,
             [&](std::size_t i) { found[i] = nodes_below(forks, k, k.child(k.root, i)); });
  k.set(std::reduce(found.begin(), found.end(), std::uint64_t{1}));
}

template <class Forks>
std::uint64_t leaves(const Forks& forks, const leaf_tree& k, unsigned depth, std::uint64_t place) {
  if (depth == 0) return k.leaf(place);
  std::array<std::uint64_t, leaf_tree::children> found{};
  forks.each(found.size(), all_wanted, [&](std::size_t i) {
    found[i] = leaves(forks, k, depth - 1, place * leaf_tree::children + i);
  });
  return std::reduce(found.begin(), found.end());
}

template <class Forks>
void run(leaf_tree& k, const Forks& forks) {
  k.set(leaves(forks, k, k.depth, 0));
}

template <class Forks>
void quicksort_part(const Forks& forks, quick_sorting::part p) {
  if (p.size() <= quick_sorting::serial_elements) return quick_sorting::sort_serially(p);
  const std::size_t pivot = quick_sorting::partition(p);
  forks.invoke([&] { quicksort_part(forks, p.first(pivot)); },
               [&] { quicksort_part(forks, p.subspan(pivot + 1)); });
}

template <class Forks>
void run(quick_sorting& k, const Forks& forks) {
  quicksort_part(forks, k.whole());
}

// Sorts `p`, in place or into `buffer`, which is as long.
enum class sorted_in { place, buffer };

template <class Forks>
void mergesort_part(const Forks& forks, merge_sorting::part p, merge_sorting::part buffer,
                    sorted_in where) {
  if (p.size() <= merge_sorting::serial_elements) {
    merge_sorting::sort_serially(p);
    if (where == sorted_in::buffer) std::ranges::copy(p, buffer.begin());
    return;
  }
  const std::size_t half = p.size() / 2;
  const sorted_in halves = where == sorted_in::place ? sorted_in::buffer : sorted_in::place;
  forks.invoke([&] { mergesort_part(forks, p.first(half), buffer.first(half), halves); },
               [&] { mergesort_part(forks, p.subspan(half), buffer.subspan(half), halves); });
  const auto from = where == sorted_in::place ? buffer : p;
  merge_sorting::merge(from.first(half), from.subspan(half),
                       where == sorted_in::place ? p : buffer);
}

template <class Forks>
void run(merge_sorting& k, const Forks& forks) {
  mergesort_part(forks, k.whole(), k.buffer(), sorted_in::place);
}

}  // namespace doall::bench
