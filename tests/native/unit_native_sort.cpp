// doall::parallel_sort: against std::sort, the same order of equivalent elements for any number of
// threads, and inputs that are bad for quicksort.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t sorted_lengths[] = {0, 1, 2, 3, 256, 257, 300, 1100, 5000, 60000};

template <class Range, class Less = std::ranges::less>
void sorts(Range x, Less less = {}) {
  Range expected = x;
  std::sort(expected.begin(), expected.end(), less);
  doall::parallel_sort(x, less);
  EXPECT_EQ(x, expected);
}

TEST(ParallelSort, SortsNumbers) {
  std::mt19937 draw(1);
  for (const std::size_t n : sorted_lengths) {
    for (const unsigned values : {1U, 2U, 100U, ~0U}) {
      std::vector<int> ints(n);
      for (int& x : ints) x = static_cast<int>(draw() % values);
      sorts(ints);
      sorts(ints, std::greater<>());
      sorts(ints, std::less<int>());
      sorts(std::deque<int>(ints.begin(), ints.end()));
      sorts(std::vector<double>(ints.begin(), ints.end()));
      sorts(ints, [](int a, int b) { return a > b; });
    }
  }
}

TEST(ParallelSort, SortsWhatIsBadForQuicksort) {
  constexpr int n = 50000;
  std::vector<int> up(n), organ(n), saw(n);
  for (int i = 0; i < n; ++i) {
    up[i] = i;
    organ[i] = std::min(i, n - i);
    saw[i] = i % 1000;
  }
  sorts(up);
  sorts(std::vector<int>(up.rbegin(), up.rend()));
  sorts(organ);
  sorts(saw);
  up.back() = -1;
  sorts(up);
}

// McIlroy's adversary ("A killer adversary for quicksort", 1999): answers so that each pivot is as
// bad as it can be.
TEST(ParallelSort, IsNeverQuadratic) {
  constexpr int n = 20000;
  std::vector<int> values(n, n);  // n: not decided yet
  int decided = 0;
  int candidate = 0;
  long comparisons = 0;
  const auto less = [&](int a, int b) {
    ++comparisons;
    if (values[a] == n && values[b] == n) values[a == candidate ? a : b] = decided++;
    if (values[a] == n)
      candidate = a;
    else if (values[b] == n)
      candidate = b;
    return values[a] < values[b];
  };
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) order[i] = (i * 7919) % n;
  const doall::thread_scope one(1);  // the adversary has a memory
  doall::parallel_sort(order, less);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(),
                             [&](int a, int b) { return values[a] < values[b]; }));
  EXPECT_LT(static_cast<double>(comparisons), 20.0 * n * std::log2(n));
}

TEST(ParallelSort, LeavesEquivalentElementsInTheSameOrderForAnyTeam) {
  struct item {
    int key;
    int number;
    bool operator==(const item&) const = default;
  };
  std::mt19937 draw(2);
  std::vector<item> items(30000);
  for (int i = 0; i < 30000; ++i) items[i] = {static_cast<int>(draw() % 50), i};
  const auto by_key = [](const item& a, const item& b) { return a.key < b.key; };
  std::vector<item> first;
  for (const int threads : {1, 2, 3, 8}) {
    const doall::thread_scope scope(threads);
    std::vector<item> sorted = items;
    doall::parallel_sort(sorted, by_key);
    if (first.empty()) first = sorted;
    EXPECT_EQ(sorted, first) << threads;
  }
}

TEST(ParallelSort, MovesWhatCannotBeCopied) {
  std::vector<std::unique_ptr<int>> x;
  for (int i = 0; i < 5000; ++i) x.push_back(std::make_unique<int>((i * 7919) % 5000));
  doall::parallel_sort(x, [](const auto& a, const auto& b) { return *a < *b; });
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(*x[i], i);
}

TEST(ParallelSort, SortsPartsAndStrings) {
  std::vector<std::string> x;
  for (int i = 0; i < 5000; ++i) x.push_back(std::to_string((i * 7919) % 5000));
  sorts(x);
  doall::parallel_sort(std::span(x).subspan(1000, 3000));
  EXPECT_TRUE(std::is_sorted(x.begin() + 1000, x.begin() + 4000));
  EXPECT_EQ(x[0], "0");
}

// A comparison by value copies elements, and does not take them.
TEST(ParallelStableSort, ComparesByValueAndByReference) {
  std::vector<std::string> x;
  for (int i = 0; i < 5000; ++i) x.push_back(std::to_string((i * 7919) % 5000) + " and more of it");
  std::vector<std::string> expected = x;
  std::sort(expected.begin(), expected.end());
  std::vector<std::string> y = x;
  doall::parallel_stable_sort(x, [](std::string a, std::string b) { return a < b; });
  EXPECT_EQ(x, expected);
  doall::parallel_stable_sort(y, [](auto& a, auto& b) { return a < b; });
  EXPECT_EQ(y, expected);
}

TEST(ParallelSort, ThrowsWhatTheComparisonThrows) {
  const doall::thread_scope scope(4);
  std::vector<int> x(20000);
  std::mt19937 draw(3);
  for (int& e : x) e = static_cast<int>(draw());
  std::atomic<int> calls{0};
  const auto less = [&](int a, int b) {
    if (++calls == 100000) throw std::runtime_error("no order");
    return a < b;
  };
  EXPECT_THROW(doall::parallel_sort(x, less), std::runtime_error);
}

}  // namespace
