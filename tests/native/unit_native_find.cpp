// parallel_find, parallel_pack, parallel_stable_sort and parallel_sort_by_key, beside what the
// standard library makes of the same elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <doall/doall.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.hpp"

namespace doall {
namespace {

std::vector<int> sample(std::size_t n, std::uint64_t below) {
  base::rng random(n + 1);
  std::vector<int> x(n);
  for (int& e : x) e = static_cast<int>(random.below(below));
  return x;
}

constexpr std::size_t searched_lengths[] = {0, 1, 2, 1000, 1025, 5000, 70001};

TEST(find, is_the_first_one) {
  for (const std::size_t n : searched_lengths) {
    std::vector<int> x = sample(n, 1000);
    for (const int wanted : {0, 7, 999, 5000}) {
      EXPECT_EQ(parallel_find(x, wanted), std::find(x.begin(), x.end(), wanted)) << n;
      EXPECT_EQ(parallel_find(x, wanted, schedule::dynamic(7)),
                std::find(x.begin(), x.end(), wanted));
    }
    if (n == 0) continue;
    x[n - 1] = 5000;
    EXPECT_EQ(parallel_find(x, 5000) - x.begin(), static_cast<std::ptrdiff_t>(n - 1));
    const std::vector<int>& fixed = x;
    EXPECT_EQ(parallel_find_if(fixed, [](int i) { return i > 4000; }), fixed.end() - 1);
  }
}

TEST(find, ends_soon_after_it_has_found) {
  constexpr std::size_t n = 10'000'000;
  const auto all = std::views::iota(std::size_t{0}, n);
  std::atomic<std::size_t> looks{0};
  const auto found = parallel_find_if(
      all,
      [&](std::size_t i) {
        looks.fetch_add(1, std::memory_order_relaxed);
        return i == 3;
      },
      schedule::dynamic(10'000));
  EXPECT_EQ(*found, 3U);
  EXPECT_LT(looks, n / 2);
}

TEST(find, throws_what_a_predicate_throws) {
  const std::vector<int> x = sample(5000, 10);
  EXPECT_THROW(parallel_find_if(x, [](int) -> bool { throw std::runtime_error("p"); }),
               std::runtime_error);
}

TEST(pack, keeps_the_order) {
  for (const std::size_t n : searched_lengths) {
    const std::vector<int> x = sample(n, 100);
    for (const int below : {0, 50, 100}) {
      const auto fits = [=](int i) { return i < below; };
      std::vector<int> packed(n, -1);
      std::vector<int> expected;
      std::copy_if(x.begin(), x.end(), std::back_inserter(expected), fits);
      const std::uint64_t kept = parallel_pack(x, packed.begin(), fits);
      ASSERT_EQ(kept, expected.size()) << n;
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), packed.begin()));
      EXPECT_TRUE(std::all_of(packed.begin() + static_cast<std::ptrdiff_t>(kept), packed.end(),
                              [](int i) { return i == -1; }));
    }
  }
}

// Of its elements, not of the blocks that it deals.
TEST(pack, takes_a_cost_an_element) {
  const thread_scope three(3);
  constexpr std::size_t n = 5000;
  const std::vector<int> x = sample(n, 100);
  std::vector<int> packed(n);
  const auto fits = [](int i) { return i < 50; };
  const auto expected = static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), fits));
  std::vector<double> each(n, 1.0);
  const auto pack_by = [&](const loop_costs& costs) {
    return parallel_pack(x, packed.begin(), fits, {.how = schedule("wsrw"), .costs = costs});
  };
  EXPECT_EQ(pack_by(weights(each)), expected);
  std::vector<std::atomic<int>> asked(n);
  EXPECT_EQ(pack_by(cost([&](auto i) {
              ++asked[static_cast<std::size_t>(i)];
              return 1000 + i % 7;
            })),
            expected);
  EXPECT_TRUE(std::all_of(asked.begin(), asked.end(), [](const auto& a) { return a > 0; }));
  each.pop_back();
  EXPECT_THROW(pack_by(weights(each)), std::invalid_argument);
}

TEST(stable_sort, keeps_equivalent_elements_in_order) {
  for (const std::size_t n : searched_lengths) {
    const std::vector<int> keys = sample(n, 50);
    std::vector<std::pair<int, std::string>> x;
    for (std::size_t i = 0; i < n; ++i) x.emplace_back(keys[i], std::to_string(i));
    auto expected = x;
    const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(expected.begin(), expected.end(), by_key);
    parallel_stable_sort(x, by_key);
    EXPECT_EQ(x, expected) << n;
  }
}

TEST(stable_sort, moves_what_cannot_be_copied) {
  std::vector<std::unique_ptr<int>> x;
  for (const int i : sample(9000, 1000)) x.push_back(std::make_unique<int>(i));
  parallel_stable_sort(x, [](const auto& a, const auto& b) { return *a > *b; });
  EXPECT_TRUE(
      std::is_sorted(x.begin(), x.end(), [](const auto& a, const auto& b) { return *a > *b; }));
}

TEST(stable_sort, throws_what_less_throws) {
  std::vector<int> x = sample(9000, 1000);
  EXPECT_THROW(parallel_stable_sort(x, [](int, int) -> bool { throw std::runtime_error("l"); }),
               std::runtime_error);
}

TEST(sort_by_key, takes_values_along) {
  for (const std::size_t n : searched_lengths) {
    std::vector<int> keys = sample(n, 300);
    std::vector<std::string> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(std::to_string(i));
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    const std::vector<int> before = keys;
    parallel_sort_by_key(keys, values);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(keys[i], before[order[i]]);
      ASSERT_EQ(values[i], std::to_string(order[i]));
    }
  }
  std::vector<int> three(3);
  std::vector<int> two(2);
  EXPECT_THROW(parallel_sort_by_key(three, two), std::invalid_argument);
}

}  // namespace
}  // namespace doall
