// parallel_reduce with reduce_order::any: workers' parts are combined as they are joined, and a
// thread's chunks that lie side by side as they are run.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <tuple>

#include "support/every_schedule.hpp"

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

// Under every schedule, and again in the same memory, where a thread must not take its last run's
// chunks for this one's. A body of ranges inside another reduction comes between two chunks.
TEST(AnyOrder, KeepsTheOrderOfTheOperandsInChunks) {
  const doall::thread_scope team(4);
  for (const std::string& schedule : doall::tests::every_schedule_text()) {
    const doall::schedule how(schedule);
    for (const int n : {3, 90, 500}) {
      for (int again = 0; again < 3; ++again) {
        const auto text = doall::parallel_reduce(
            0, n, std::string(),
            [&](doall::range<int> part) {
              const int inside =
                  doall::parallel_reduce(0, 300, 0, [](int i) { return i; }, std::plus<>());
              return inside == 44850 ? numbers(part.first(), part.last()) : "";
            },
            joined, {.how = how, .order = doall::reduce_order::any});
        ASSERT_EQ(text, numbers(0, n)) << schedule << " " << n;
      }
    }
  }
}

// Numbers [first, last), or none, or what was combined in a wrong order. Memory tells nothing of
// whether such a Value is there, as it does of strings.
struct interval {
  int first = 0;
  int last = 0;
  bool broken = false;
};
interval side_by_side(const interval& a, const interval& b) {
  if (a.first == a.last) return {b.first, b.last, a.broken || b.broken};
  if (b.first == b.last) return {a.first, a.last, a.broken || b.broken};
  return {a.first, b.last, a.broken || b.broken || a.last != b.first};
}

// More workers than CPUs come late or never, and others run their parts: some before what they have
// joined, some behind. The memory still has what other reductions left there.
TEST(AnyOrder, LosesNothingOfWorkersThatComeLate) {
  for (const std::uint32_t threads : {2, 3, 5, 8, 17}) {
    const doall::thread_scope team(threads);
    for (const char* text : {"static", "dynamic,1", "auto"}) {
      const doall::loop_options options{.how = doall::schedule(text),
                                        .order = doall::reduce_order::any};
      for (int run = 0; run < 300; ++run) {
        constexpr std::size_t bytes = 20'000;
        void* const memory = doall_scratch_take(bytes, 64);
        std::memset(memory, 1, bytes);
        doall_scratch_give(memory);
        const int n = 1 + run % 90;
        const interval all = doall::parallel_reduce(
            0, n, interval{}, [](int i) { return interval{i, i + 1}; }, side_by_side, options);
        ASSERT_FALSE(all.broken) << text << " " << n << " on " << threads;
        ASSERT_EQ(all.last - all.first, n) << text << " on " << threads;
      }
    }
  }
}

// More than a thread keeps memory for: fewer blocks, and the same answer.
TEST(AnyOrder, OfLargeValues) {
  using sums = std::array<std::uint64_t, 4096>;
  for (const std::uint32_t threads : {1, 2, 7}) {
    const doall::thread_scope team(threads);
    std::atomic<int> parts{0};
    const sums all = doall::parallel_reduce(
        0, 1000, sums{},
        [&](doall::range<int> part) {
          parts++;
          sums some{};
          for (const int i : part) some[static_cast<std::size_t>(4 * i)] += 1;
          return some;
        },
        [](sums a, const sums& b) {
          for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
          return a;
        },
        {.how = doall::schedule("dynamic,1"), .order = doall::reduce_order::any});
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(all[i], i % 4 == 0 && i < 4000 ? 1U : 0U);
    EXPECT_LE(parts, 35);
    EXPECT_GE(parts, 1);
  }
}

// A long loop that names no schedule: were each worker dealt one block, one of them would have
// nearly all there is to do.
TEST(AnyOrder, IsBalancedByDefault) {
  const doall::thread_scope team(2);
  int parts_most = 0;
  for (int run = 0; run < 12; ++run) {
    std::atomic<int> parts{0};
    const auto text = doall::parallel_reduce(
        0, 1000, std::string(),
        [&](doall::range<int> part) {
          parts++;
          for (const int i : part) {
            const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(2);
            while (i < 500 && std::chrono::steady_clock::now() < until) {
            }
          }
          return numbers(part.first(), part.last());
        },
        joined, {.order = doall::reduce_order::any});
    ASSERT_EQ(text, numbers(0, 1000));
    parts_most = std::max(parts_most, parts.load());
  }
  EXPECT_GT(parts_most, 4);
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

// Arrays of integers are added up in any order, in any schedule's chunks.
TEST(EachElement, OfIntegersNeedsNoOrder) {
  using counts = std::array<std::uint16_t, 50>;
  counts expected{};
  for (int i = 0; i < 3000; ++i) expected[static_cast<std::size_t>(i * i % 50)] += 1;
  for (const std::string text : {"static", "dynamic,7", "guided"}) {
    for (int threads = 1; threads <= 6; ++threads) {
      const doall::thread_scope team(threads);
      std::atomic<int> parts{0};
      const counts found = doall::parallel_reduce(
          0, 3000, counts{},
          [&](doall::range<int> part) {
            parts++;
            counts some{};
            for (const int i : part) some[static_cast<std::size_t>(i * i % 50)] += 1;
            return some;
          },
          doall::each_element(std::plus<>()), doall::schedule(text));
      EXPECT_EQ(found, expected) << text << " on " << threads;
      if (text == "static") EXPECT_EQ(parts, threads);
    }
  }
}

// Of doubles the order is fixed.
TEST(EachElement, OfDoublesKeepsTheOrder) {
  using sums = std::array<double, 3>;
  const auto sum_on = [](int threads) {
    const doall::thread_scope team(threads);
    return doall::parallel_reduce(
        0, 5000, sums{}, [](int i) { return sums{1.0 / (i + 1), 1.0 / (2 * i + 1), 1e9 * i}; },
        doall::each_element(std::plus<>()));
  };
  for (int threads = 2; threads <= 5; ++threads) EXPECT_EQ(sum_on(threads), sum_on(1));
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

// An int to which doubles are added is cut at each addition; a range's body may do so inside.
TEST(AnyOrder, IsTakenUnaskedOnlyWhereTypesShowThatNoBitDependsOnIt) {
  using doall::detail::is_same_in_any_order;
  constexpr auto of_int = [](int i) { return i; };
  constexpr auto of_long = [](int i) { return long{i}; };
  constexpr auto of_double = [](int i) { return 0.6 * i; };
  constexpr auto of_bool = [](int i) { return i > 3; };
  constexpr auto of_range = [](doall::range<int> part) { return static_cast<int>(part.size()); };
  using number = decltype(of_int);
  EXPECT_TRUE((is_same_in_any_order<int, int, number, std::plus<>>()));
  EXPECT_TRUE((is_same_in_any_order<int, unsigned, decltype(of_long), std::multiplies<>>()));
  EXPECT_TRUE((is_same_in_any_order<int, int, number, const std::bit_xor<int>>()));
  EXPECT_FALSE((is_same_in_any_order<int, int, decltype(of_double), std::plus<>>()));
  EXPECT_FALSE((is_same_in_any_order<int, double, number, std::plus<>>()));
  EXPECT_FALSE((is_same_in_any_order<int, bool, number, std::plus<>>()));
  EXPECT_FALSE((is_same_in_any_order<int, int, decltype(of_bool), std::plus<>>()));
  EXPECT_FALSE((is_same_in_any_order<int, int, number, std::minus<>>()));
  EXPECT_FALSE((is_same_in_any_order<int, int, decltype(of_range), std::plus<>>()));
}

// Sums of doubles in an int, as the fixed order has them, on any number of threads.
TEST(FixedOrder, OfDoublesInAnIntIsTheSameForAllTeams) {
  const auto sum = [](std::uint32_t threads) {
    const doall::thread_scope team(threads);
    return doall::parallel_reduce(
        0, 10'000, 0, [](int i) { return (i % 7 - 3) * 0.9; }, std::plus<>());
  };
  const int alone = sum(1);
  for (const std::uint32_t threads : {2, 3, 4}) EXPECT_EQ(sum(threads), alone) << threads;
}

}  // namespace
