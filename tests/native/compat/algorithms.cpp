// The standard's parallel algorithms, unchanged, whose back end in libstdc++ finds doall's headers
// in oneTBB's place. Each is compared with its sequential form.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <execution>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#if !defined(DOALL_COMPAT)
#error "libstdc++ was expected to include doall's tbb/tbb.h"
#endif

#include "check.hpp"

namespace {

using numbers = std::vector<int>;

constexpr unsigned seed = 20261128;
unsigned n_now = 0;

// Says which algorithm, for how many elements.
#define SAME(name, a, b)                                                           \
  do {                                                                             \
    if (!((a) == (b))) {                                                           \
      ++failures;                                                                  \
      std::printf("%s of %u: differs (%s:%d)\n", name, n_now, __FILE__, __LINE__); \
    }                                                                              \
  } while (false)

numbers sample(std::size_t n, int below) {
  std::mt19937 random(seed + static_cast<unsigned>(n));
  numbers x(n);
  for (int& e : x) e = static_cast<int>(random() % static_cast<unsigned>(below));
  return x;
}

bool is_odd(int i) { return i % 2 != 0; }

template <class Policy>
void looks(const Policy& by, const numbers& x) {
  const auto b = x.begin();
  const auto e = x.end();
  const numbers few = sample(x.size(), 3);
  const numbers part(x.begin() + static_cast<std::ptrdiff_t>(x.size() / 3),
                     x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
  for (const int wanted : {0, 7, 999999, x.empty() ? 1 : x.back()}) {
    SAME("find", std::find(by, b, e, wanted), std::find(b, e, wanted));
    SAME("count", std::count(by, b, e, wanted), std::count(b, e, wanted));
    const auto is = [=](int i) { return i == wanted; };
    SAME("any_of", std::any_of(by, b, e, is), std::any_of(b, e, is));
    SAME("all_of", std::all_of(by, b, e, is), std::all_of(b, e, is));
    SAME("none_of", std::none_of(by, b, e, is), std::none_of(b, e, is));
    SAME("find_if_not", std::find_if_not(by, b, e, is), std::find_if_not(b, e, is));
  }
  SAME("find_if", std::find_if(by, b, e, is_odd), std::find_if(b, e, is_odd));
  SAME("count_if", std::count_if(by, b, e, is_odd), std::count_if(b, e, is_odd));
  SAME("find_first_of", std::find_first_of(by, b, e, part.begin(), part.end()),
       std::find_first_of(b, e, part.begin(), part.end()));
  SAME("find_end", std::find_end(by, b, e, part.begin(), part.end()),
       std::find_end(b, e, part.begin(), part.end()));
  SAME("search", std::search(by, b, e, part.begin(), part.end()),
       std::search(b, e, part.begin(), part.end()));
  SAME("search_n", std::search_n(by, few.begin(), few.end(), 4, 1),
       std::search_n(few.begin(), few.end(), 4, 1));
  SAME("adjacent_find", std::adjacent_find(by, b, e), std::adjacent_find(b, e));
  SAME("max_element", std::max_element(by, b, e), std::max_element(b, e));
  SAME("min_element", std::min_element(by, b, e), std::min_element(b, e));
  SAME("minmax_element", std::minmax_element(by, b, e), std::minmax_element(b, e));
  numbers other = x;
  if (!other.empty()) other.back() += 1;
  SAME("equal", std::equal(by, b, e, other.begin()), std::equal(b, e, other.begin()));
  SAME("mismatch", std::mismatch(by, b, e, other.begin()), std::mismatch(b, e, other.begin()));
  SAME("lexicographical_compare",
       std::lexicographical_compare(by, b, e, other.begin(), other.end()),
       std::lexicographical_compare(b, e, other.begin(), other.end()));
  numbers sorted = x;
  std::sort(sorted.begin(), sorted.end());
  SAME("is_sorted", std::is_sorted(by, sorted.begin(), sorted.end()), true);
  SAME("is_sorted_until", std::is_sorted_until(by, b, e), std::is_sorted_until(b, e));
  SAME("is_partitioned", std::is_partitioned(by, b, e, is_odd), std::is_partitioned(b, e, is_odd));
  numbers heap = x;
  std::make_heap(heap.begin(), heap.end());
  if (!heap.empty()) heap[heap.size() / 2] += 1;
  SAME("is_heap", std::is_heap(by, heap.begin(), heap.end()),
       std::is_heap(heap.begin(), heap.end()));
  SAME("is_heap_until", std::is_heap_until(by, heap.begin(), heap.end()),
       std::is_heap_until(heap.begin(), heap.end()));
  numbers half = sorted;
  half.resize(half.size() / 2);
  SAME("includes", std::includes(by, sorted.begin(), sorted.end(), half.begin(), half.end()), true);
}

template <class Policy>
void changes(const Policy& by, const numbers& x) {
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  // change(policy..., vector) on two copies.
  const auto both = [&](const char* name, const auto& ours, const auto& theirs) {
    numbers a = x;
    numbers b = x;
    ours(a);
    theirs(b);
    SAME(name, a, b);
  };
#define BOTH(name, ...)                                       \
  both(                                                       \
      #name, [&](numbers& v) { std::name(by, __VA_ARGS__); }, \
      [&](numbers& v) { std::name(__VA_ARGS__); })
  BOTH(for_each, v.begin(), v.end(), [](int& i) { i = 3 * i + 1; });
  BOTH(for_each_n, v.begin(), n / 2, [](int& i) { i -= 1; });
  BOTH(fill, v.begin(), v.end(), 5);
  BOTH(fill_n, v.begin(), n / 2, 5);
  BOTH(generate, v.begin(), v.end(), [] { return 4; });
  BOTH(generate_n, v.begin(), n / 3, [] { return 4; });
  BOTH(replace, v.begin(), v.end(), 7, 8);
  BOTH(replace_if, v.begin(), v.end(), is_odd, 8);
  BOTH(reverse, v.begin(), v.end());
  BOTH(rotate, v.begin(), v.begin() + n / 3, v.end());
  BOTH(transform, v.begin(), v.end(), v.begin(), [](int i) { return i / 3; });
  BOTH(transform, v.begin(), v.end(), x.begin(), v.begin(), std::plus<>());
  BOTH(swap_ranges, v.begin(), v.begin() + n / 2, v.begin() + n - n / 2);
  BOTH(sort, v.begin(), v.end());
  BOTH(sort, v.begin(), v.end(), std::greater<>());
  BOTH(inclusive_scan, v.begin(), v.end(), v.begin());
  BOTH(exclusive_scan, x.begin(), x.end(), v.begin(), 3);  // in place GCC 12's own is wrong
  BOTH(adjacent_difference, x.begin(), x.end(), v.begin());
#undef BOTH
  // Those that say where they ended.
  const auto cut = [&](const char* name, const auto& ours, const auto& theirs) {
    numbers a = x;
    numbers b = x;
    a.erase(ours(a), a.end());
    b.erase(theirs(b), b.end());
    SAME(name, a, b);
  };
#define CUT(name, ...)                                               \
  cut(                                                               \
      #name, [&](numbers& v) { return std::name(by, __VA_ARGS__); }, \
      [&](numbers& v) { return std::name(__VA_ARGS__); })
  CUT(remove, v.begin(), v.end(), 7);
  CUT(remove_if, v.begin(), v.end(), is_odd);
  CUT(unique, v.begin(), v.end());
  CUT(copy, x.begin(), x.end(), v.begin());
  CUT(copy_n, x.begin(), n / 2, v.begin());
  CUT(copy_if, x.begin(), x.end(), v.begin(), is_odd);
  CUT(remove_copy, x.begin(), x.end(), v.begin(), 7);
  CUT(remove_copy_if, x.begin(), x.end(), v.begin(), is_odd);
  CUT(unique_copy, x.begin(), x.end(), v.begin());
  CUT(replace_copy, x.begin(), x.end(), v.begin(), 7, 8);
  CUT(reverse_copy, x.begin(), x.end(), v.begin());
  CUT(rotate_copy, x.begin(), x.begin() + n / 3, x.end(), v.begin());
  CUT(stable_partition, v.begin(), v.end(), is_odd);
#undef CUT
  numbers moved(x.size());
  numbers from = x;
  std::move(by, from.begin(), from.end(), moved.begin());
  SAME("move", moved, x);
  numbers odd(x.size());
  numbers even(x.size());
  const auto ends = std::partition_copy(by, x.begin(), x.end(), odd.begin(), even.begin(), is_odd);
  odd.erase(ends.first, odd.end());
  even.erase(ends.second, even.end());
  SAME("partition_copy", odd.size() + even.size(), x.size());
  CHECK(std::all_of(odd.begin(), odd.end(), is_odd));
  numbers divided = x;
  const auto middle = std::partition(by, divided.begin(), divided.end(), is_odd);
  SAME("partition", middle - divided.begin(), static_cast<std::ptrdiff_t>(odd.size()));
}

template <class Policy>
void orders(const Policy& by, const numbers& x) {
  // Pairs of a key and a place: stable sorts keep the places' order.
  using pair = std::pair<int, int>;
  std::vector<pair> pairs;
  for (std::size_t i = 0; i < x.size(); ++i) pairs.emplace_back(x[i] % 10, static_cast<int>(i));
  const auto by_key = [](const pair& a, const pair& b) { return a.first < b.first; };
  std::vector<pair> a = pairs;
  std::vector<pair> b = pairs;
  std::stable_sort(by, a.begin(), a.end(), by_key);
  std::stable_sort(b.begin(), b.end(), by_key);
  SAME("stable_sort", a, b);
  std::vector<std::string> texts;
  for (const int i : x) texts.push_back(std::to_string(i));
  std::vector<std::string> sorted = texts;
  std::sort(by, texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  SAME("sort of strings", texts, sorted);
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  numbers first = x;
  numbers second = x;
  std::partial_sort(by, first.begin(), first.begin() + n / 4, first.end());
  std::partial_sort(second.begin(), second.begin() + n / 4, second.end());
  first.resize(x.size() / 4);
  second.resize(x.size() / 4);
  SAME("partial_sort", first, second);
  first.assign(x.size() / 4, 0);
  std::partial_sort_copy(by, x.begin(), x.end(), first.begin(), first.end());
  SAME("partial_sort_copy", first, second);
  if (n > 0) {
    first = second = x;
    std::nth_element(by, first.begin(), first.begin() + n / 2, first.end());
    std::nth_element(second.begin(), second.begin() + n / 2, second.end());
    SAME("nth_element", first[x.size() / 2], second[x.size() / 2]);
  }
  numbers left = x;
  numbers right = sample(x.size() / 2 + 1, 500);
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  const auto of_two = [&](const char* name, const auto& ours, const auto& theirs) {
    numbers to(left.size() + right.size());
    numbers wanted(to.size());
    to.erase(ours(to.begin()), to.end());
    wanted.erase(theirs(wanted.begin()), wanted.end());
    SAME(name, to, wanted);
  };
#define OF_TWO(name)                                                                    \
  of_two(                                                                               \
      #name,                                                                            \
      [&](auto to) {                                                                    \
        return std::name(by, left.begin(), left.end(), right.begin(), right.end(), to); \
      },                                                                                \
      [&](auto to) {                                                                    \
        return std::name(left.begin(), left.end(), right.begin(), right.end(), to);     \
      })
  OF_TWO(merge);
  OF_TWO(set_union);
  OF_TWO(set_intersection);
  OF_TWO(set_difference);
  OF_TWO(set_symmetric_difference);
#undef OF_TWO
  numbers in_two = left;
  in_two.insert(in_two.end(), right.begin(), right.end());
  numbers wanted = in_two;
  std::inplace_merge(by, in_two.begin(), in_two.begin() + n, in_two.end());
  std::inplace_merge(wanted.begin(), wanted.begin() + n, wanted.end());
  SAME("inplace_merge", in_two, wanted);
}

template <class Policy>
void sums(const Policy& by, const numbers& x) {
  const auto b = x.begin();
  const auto e = x.end();
  SAME("reduce", std::reduce(by, b, e, 0L), std::accumulate(b, e, 0L));
  SAME("reduce", std::reduce(by, b, e), std::accumulate(b, e, 0));
  const auto half = [](int i) { return static_cast<long>(i / 2); };
  SAME("transform_reduce", std::transform_reduce(by, b, e, 1L, std::plus<>(), half),
       std::transform_reduce(b, e, 1L, std::plus<>(), half));
  const std::vector<long> y(b, e);  // libstdc++ adds in the elements' type
  SAME("transform_reduce of two", std::transform_reduce(by, y.begin(), y.end(), b, 1L),
       std::transform_reduce(y.begin(), y.end(), b, 1L));
  std::vector<long> ours(x.size());
  std::vector<long> theirs(x.size());
  std::transform_inclusive_scan(by, b, e, ours.begin(), std::plus<>(), half, 2L);
  std::transform_inclusive_scan(b, e, theirs.begin(), std::plus<>(), half, 2L);
  SAME("transform_inclusive_scan", ours, theirs);
  std::transform_exclusive_scan(by, b, e, ours.begin(), 2L, std::plus<>(), half);
  std::transform_exclusive_scan(b, e, theirs.begin(), 2L, std::plus<>(), half);
  SAME("transform_exclusive_scan", ours, theirs);
  // Not commutative, which reduce may not be given: strings.
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min<std::size_t>(x.size(), 300); ++i)
    texts.push_back(std::string(1, static_cast<char>('a' + x[i] % 26)));
  std::vector<std::string> in_order(texts.size());
  std::vector<std::string> wanted(texts.size());
  std::inclusive_scan(by, texts.begin(), texts.end(), in_order.begin());
  std::inclusive_scan(texts.begin(), texts.end(), wanted.begin());
  SAME("inclusive_scan of strings", in_order, wanted);
}

template <class Policy>
void memory(const Policy& by, std::size_t n) {
  std::allocator<std::string> of;
  std::string* const raw = of.allocate(n + 1);
  const std::vector<std::string> from(n, "a text that is too long to lie in the string itself");
  std::uninitialized_copy(by, from.begin(), from.end(), raw);
  SAME("uninitialized_copy", std::vector<std::string>(raw, raw + n), from);
  std::destroy(by, raw, raw + n);
  std::uninitialized_fill(by, raw, raw + n, from.empty() ? "" : from[0]);
  SAME("uninitialized_fill", std::vector<std::string>(raw, raw + n), from);
  std::destroy_n(by, raw, n);
  std::uninitialized_value_construct(by, raw, raw + n);
  SAME("uninitialized_value_construct", std::vector<std::string>(raw, raw + n),
       std::vector<std::string>(n));
  std::destroy(by, raw, raw + n);
  of.deallocate(raw, n + 1);
}

template <class Policy>
void all(const Policy& by, std::size_t n) {
  n_now = static_cast<unsigned>(n);
  const numbers x = sample(n, 1000);
  looks(by, x);
  changes(by, x);
  orders(by, x);
  sums(by, x);
  memory(by, n);
}

}  // namespace

int main(int, char** argv) {
  const int rounds = argv[1] != nullptr ? std::atoi(argv[1]) : 1;
  std::printf("seed %u\n", seed);
  for (int round = 0; round < rounds; ++round) {
    for (const std::size_t n : {0U, 1U, 2U, 100U, 2500U, 20011U}) {
      all(std::execution::par, n);
      sums(std::execution::par_unseq, sample(n, 1000));  // the rest differs in nothing of ours
    }
  }
  // Work is shared, and nested algorithms are.
  std::atomic<int> calls{0};
  std::vector<int> outer(40, 1);
  std::for_each(std::execution::par, outer.begin(), outer.end(), [&](int) {
    std::vector<int> inner(100, 1);
    std::for_each(std::execution::par, inner.begin(), inner.end(), [&](int) { ++calls; });
  });
  CHECK(calls == 4000);
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
