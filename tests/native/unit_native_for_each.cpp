// doall::parallel_for_each.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <forward_list>
#include <list>
#include <map>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/every_schedule.hpp"

namespace {

// A range of n counters.
template <class Range>
void runs_each_once(std::size_t n) {
  for (const doall::schedule& how : doall::tests::every_schedule()) {
    Range counters(n);
    EXPECT_EQ(doall::parallel_for_each(
                  counters, [](std::atomic<int>& seen) { seen++; }, how),
              doall::loop_end::completed);
    std::size_t elements = 0;
    for (const auto& seen : counters) {
      ASSERT_EQ(seen, 1) << "element " << elements << " of " << n;
      ++elements;
    }
    ASSERT_EQ(elements, n);
  }
}

TEST(ParallelForEach, RunsEachElementOnceWhateverTheRange) {
  for (const std::size_t n : {0, 1, 2, 255, 256, 257, 1000}) {
    runs_each_once<std::vector<std::atomic<int>>>(n);
    runs_each_once<std::list<std::atomic<int>>>(n);
    runs_each_once<std::forward_list<std::atomic<int>>>(n);
  }
}

TEST(ParallelForEach, PassesElementsAsTheRangeGivesThem) {
  std::vector<int> v(1000);
  std::iota(v.begin(), v.end(), 0);
  doall::parallel_for_each(v, [](int& element) { element *= 2; });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(v[i], 2 * i);

  std::map<std::string, int> m{{"a", 1}, {"b", 2}, {"c", 3}};
  doall::parallel_for_each(m, [](auto& entry) { entry.second += 3; });
  EXPECT_EQ(m, (std::map<std::string, int>{{"a", 4}, {"b", 5}, {"c", 6}}));

  int array[3] = {1, 2, 3};
  doall::parallel_for_each(array, [](int& element) { ++element; });
  EXPECT_EQ(array[0] + array[1] + array[2], 9);
}

TEST(ParallelForEach, TakesViewsAndTemporaries) {
  std::atomic<int> sum{0};
  doall::parallel_for_each(std::views::iota(1, 101), [&](int i) { sum += i; });
  EXPECT_EQ(sum, 5050);
  sum = 0;
  // Neither random access nor a size: found by walking.
  auto even = std::views::iota(1, 101) | std::views::filter([](int i) { return i % 2 == 0; });
  doall::parallel_for_each(even, [&](int i) { sum += i; });
  EXPECT_EQ(sum, 2550);
  sum = 0;
  const std::vector<int> constant{1, 2, 3};
  doall::parallel_for_each(std::span(constant), [&](const int& i) { sum += i; });
  EXPECT_EQ(sum, 6);
}

TEST(ParallelForEach, RethrowsAndStops) {
  std::list<int> elements(1000, 1);
  elements.back() = 0;
  EXPECT_THROW(doall::parallel_for_each(elements,
                                        [](int e) {
                                          if (e == 0) throw std::domain_error("zero");
                                        }),
               std::domain_error);
  std::stop_source source;
  source.request_stop();
  std::atomic<int> calls{0};
  const auto end =
      doall::parallel_for_each(elements, [&](int) { ++calls; }, {.stop = source.get_token()});
  EXPECT_EQ(end, doall::loop_end::stopped);
  EXPECT_EQ(calls, 0);
}

TEST(ParallelForEach, TakesACostAnElement) {
  for (const doall::schedule& how : doall::tests::every_schedule()) {
    std::vector<std::uint64_t> sums(701);
    for (std::size_t i = 0; i < 700; ++i) sums[i + 1] = sums[i] + (i < 10 ? 1000 : 1);
    std::atomic<int> calls{0};
    std::vector<int> v(700);
    std::list<int> l(700);
    const auto count = [&](int) { ++calls; };
    doall::parallel_for_each(v, count, {.how = how, .costs = sums});
    doall::parallel_for_each(l, count, {.how = how, .costs = sums});
    EXPECT_EQ(calls, 1400);
    l.pop_back();
    EXPECT_THROW(doall::parallel_for_each(l, count, {.how = how, .costs = sums}),
                 std::invalid_argument);
  }
  // Of none, too.
  const std::vector<std::uint64_t> of_two(3);
  std::list<int> empty;
  EXPECT_THROW(doall::parallel_for_each(empty, [](int) {}, {.costs = of_two}),
               std::invalid_argument);
}

}  // namespace
