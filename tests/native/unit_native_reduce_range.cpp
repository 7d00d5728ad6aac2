// doall::parallel_reduce over ranges: the bits of the reduction over indices.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <cstdlib>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#include "support/every_schedule.hpp"

namespace {

TEST(ReduceRange, IsTheReductionOverIndices) {
  for (const std::size_t n : {0, 1, 255, 256, 257, 10007}) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 1.0 / static_cast<double>(i + 3);
    const std::list<double> listed(x.begin(), x.end());
    const std::forward_list<double> forward(x.begin(), x.end());
    const auto square = [](double e) { return e * e; };
    const double expected = doall::parallel_reduce(
        std::size_t{0}, n, 0.0, [&](std::size_t i) { return x[i] * x[i]; }, std::plus<>());
    for (const doall::schedule& how : doall::tests::every_schedule()) {
      EXPECT_EQ(doall::parallel_reduce(x, 0.0, square, std::plus<>(), how), expected);
      EXPECT_EQ(doall::parallel_reduce(listed, 0.0, square, std::plus<>(), how), expected);
      EXPECT_EQ(doall::parallel_reduce(forward, 0.0, square, std::plus<>(), how), expected);
    }
    const auto any = doall::parallel_reduce(listed, 0.0, square, std::plus<>(),
                                            {.order = doall::reduce_order::any});
    EXPECT_NEAR(any, expected, 1e-12);
  }
}

TEST(ReduceRange, TakesElementsAsTheyAre) {
  const std::vector<int> x{3, 1, 2};
  EXPECT_EQ(doall::parallel_reduce(x, 0, std::plus<>()), 6);
  EXPECT_EQ(doall::parallel_reduce(x, 0L, std::plus<>(), doall::schedule::guided()), 6L);
  EXPECT_EQ(doall::parallel_reduce(std::views::iota(0, 1000), 0, std::plus<>()), 499500);
  const std::map<std::string, int> m{{"a", 1}, {"b", 2}};
  EXPECT_EQ(doall::parallel_reduce(
                m, std::string(), [](const auto& entry) { return entry.first; }, std::plus<>()),
            "ab");
  auto odd = x | std::views::filter([](int i) { return i % 2 == 1; });
  EXPECT_EQ(doall::parallel_reduce(odd, 0, std::plus<>()), 4);
}

TEST(ReduceRange, NestsInLoops) {
  doall::parallel_for(0, 50, [](int k) {
    const std::list<int> x(1000 + k, 1);
    EXPECT_EQ(doall::parallel_reduce(x, 0, std::plus<>()), 1000 + k);
  });
}

}  // namespace
