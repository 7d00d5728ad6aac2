// parallel_reduce with reduce_order::any: parts are combined as workers are joined.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <tuple>

namespace {

const doall::loop_options any_static{.how = doall::schedule("static"),
                                     .order = doall::reduce_order::any};

// Not commutative: a wrong order shows.
std::string numbers(int first, int last) {
  std::string text;
  for (int i = first; i < last; ++i) text += std::to_string(i) + ",";
  return text;
}

std::string joined(std::string a, const std::string& b) { return a += b; }

TEST(AnyOrder, KeepsTheOrderOfTheOperands) {
  for (int threads = 1; threads <= 9; ++threads) {
    const doall::thread_scope team(threads);
    for (int n = 0; n <= 40; ++n) {
      const auto one = [](int i) { return numbers(i, i + 1); };
      EXPECT_EQ(doall::parallel_reduce(0, n, std::string(), one, joined, any_static), numbers(0, n))
          << n << " on " << threads;
      EXPECT_EQ(doall::parallel_reduce(0, n, std::string(), one, joined,
                                       {.order = doall::reduce_order::any}),
                numbers(0, n));
    }
  }
}

// Of a body that takes a range no other combinations are made.
TEST(AnyOrder, MakesOneCombinationLessThanThereAreWorkers) {
  for (int threads = 1; threads <= 12; ++threads) {
    const doall::thread_scope team(threads);
    std::atomic<int> combinations{0};
    const auto text = doall::parallel_reduce(
        0, 1000, std::string(),
        [](doall::range<int> part) { return numbers(part.first(), part.last()); },
        [&](std::string a, const std::string& b) {
          combinations++;
          return joined(std::move(a), b);
        },
        any_static);
    EXPECT_EQ(text, numbers(0, 1000));
    EXPECT_EQ(combinations, threads - 1);
  }
}

TEST(AnyOrder, IsFixedWithASchedule) {
  const doall::thread_scope team(4);
  EXPECT_EQ(doall::parallel_reduce(
                0, 500, std::string(), [](int i) { return numbers(i, i + 1); }, joined,
                {.how = doall::schedule("dynamic,3"), .order = doall::reduce_order::any}),
            numbers(0, 500));
}

TEST(AnyOrder, HandsOnExceptionsOfBodyAndCombination) {
  const doall::thread_scope team(4);
  for (int thrower = 0; thrower < 20; ++thrower) {
    EXPECT_THROW(doall::parallel_reduce(
                     0, 20, std::string(),
                     [&](int i) {
                       if (i == thrower) throw std::runtime_error("body");
                       return numbers(i, i + 1);
                     },
                     joined, any_static),
                 std::runtime_error);
  }
  for (int thrower = 0; thrower < 3; ++thrower) {
    std::atomic<int> combinations{0};
    EXPECT_THROW(doall::parallel_reduce(
                     0, 20, std::string(), [](doall::range<int>) { return std::string(60, 'x'); },
                     [&](std::string a, const std::string& b) {
                       if (combinations++ == thrower) throw std::runtime_error("combination");
                       return joined(std::move(a), b);
                     },
                     any_static),
                 std::runtime_error);
  }
}

TEST(AnyOrder, ThatIsStoppedThrows) {
  const doall::thread_scope team(4);
  std::stop_source source;
  doall::loop_options options = any_static;
  options.stop = source.get_token();
  EXPECT_THROW(doall::parallel_reduce(
                   0, 1000, std::string(),
                   [&](int i) {
                     if (i == 700) source.request_stop();
                     return numbers(i, i + 1);
                   },
                   joined, options),
               doall::stopped);
}

TEST(SeveralReductions, AreOneLoop) {
  for (const auto order : {doall::reduce_order::fixed, doall::reduce_order::any}) {
    const auto [sum, least, text] = doall::parallel_reduce(
        0, 100, std::tuple(0, std::numeric_limits<int>::max(), std::string()),
        [](int i) { return std::tuple(i, (i * 37) % 101, numbers(i, i + 1)); },
        doall::combine_each(
            std::plus<>(), [](int a, int b) { return std::min(a, b); }, joined),
        {.order = order});
    EXPECT_EQ(sum, 4950);
    EXPECT_EQ(least, 0);
    EXPECT_EQ(text, numbers(0, 100));
  }
}

}  // namespace
