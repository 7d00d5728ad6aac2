// Reductions whose bodies add to the sum themselves, of values that can only be moved, and what
// builds without NDEBUG say of identities.
#include <gtest/gtest.h>
#undef NDEBUG  // for the headers' checks
#include <doall/doall.hpp>

#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using numbers = std::unique_ptr<std::vector<int>>;

numbers none() { return std::make_unique<std::vector<int>>(); }
numbers appended(numbers a, const numbers& b) {
  a->insert(a->end(), b->begin(), b->end());
  return a;
}

TEST(ReduceMoveOnly, KeepsTheOrder) {
  std::vector<int> expected(1000);
  for (int i = 0; i < 1000; ++i) expected[static_cast<std::size_t>(i)] = i;
  for (const int threads : {1, 3}) {
    const doall::thread_scope team(threads);
    const numbers by_index = doall::parallel_reduce(
        0, 1000, none, [](int i, numbers& sum) { sum->push_back(i); }, appended);
    EXPECT_EQ(*by_index, expected);
    const numbers by_range = doall::parallel_reduce(0, 1000, none,
                                                    [](doall::range<int> part, numbers& sum) {
                                                      for (const int i : part) sum->push_back(i);
                                                    },
                                                    appended, {.order = doall::reduce_order::any});
    EXPECT_EQ(*by_range, expected);
    const numbers returned = doall::parallel_reduce(
        0, 1000, none, [](int i) { return std::make_unique<std::vector<int>>(1, i); }, appended,
        doall::schedule("dynamic,7"));
    EXPECT_EQ(*returned, expected);
  }
  EXPECT_TRUE(doall::parallel_reduce(0, 0, none, [](int, numbers&) {}, appended)->empty());
}

TEST(ReduceIntoViews, LargeAndSmallValues) {
  using bins = std::array<long, 64>;
  for (const int threads : {1, 3}) {
    const doall::thread_scope team(threads);
    const bins found = doall::parallel_reduce(
        0, 6400, bins{}, [](int i, bins& sum) { ++sum[static_cast<std::size_t>(i % 64)]; },
        doall::each_element(std::plus<>{}));
    for (const long bin : found) EXPECT_EQ(bin, 100);
    EXPECT_EQ(doall::parallel_reduce(
                  0, 1000, 0L, [](int i, long& sum) { sum += i; }, std::plus<>{}),
              499500);
    EXPECT_EQ(doall::parallel_reduce(
                  0, 40, 0L,
                  [](int i) {
                    return doall::parallel_reduce(
                        0, 10, 0L, [i](int j, long& sum) { sum += i + j; }, std::plus<>{});
                  },
                  std::plus<>{}),
              40L * 45 + 10L * 780);
  }
}

TEST(ReduceIntoViews, AnExceptionLosesNoMemory) {
  using large = std::array<std::string, 8>;
  const doall::thread_scope team(3);
  EXPECT_THROW(doall::parallel_reduce(
                   0, 10'000, large{},
                   [](int i, large& sum) {
                     sum[0] += "a text that is long enough to be on the heap";
                     if (i == 7000) throw std::runtime_error("no");
                   },
                   [](large a, const large&) { return a; }),
               std::runtime_error);
}

template <class Loop>
std::string said_by(Loop loop) {
  testing::internal::CaptureStderr();
  loop();
  loop();
  return testing::internal::GetCapturedStderr();
}

// A vector has a comparison, whatever its elements are.
struct hit {
  int where;
  double score;
};

TEST(ReduceIdentity, OfWhatCannotBeCompared) {
  const std::vector<hit> found = doall::parallel_reduce(
      0, 1000, std::vector<hit>(), [](int i) { return std::vector<hit>{{i, 1.0}}; },
      [](std::vector<hit> a, const std::vector<hit>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
      });
  ASSERT_EQ(found.size(), 1000U);
  EXPECT_EQ(found[999].where, 999);
}

TEST(ReduceIdentity, IsCheckedInDebugBuilds) {
  const std::string narrow = said_by([] {
    static_cast<void>(doall::parallel_reduce(
        0, 10, 0, [](int i) { return 0.5 * i; },
        [](double a, double b) { return static_cast<int>(a + b); }));
  });
  EXPECT_NE(narrow.find("narrower"), std::string::npos) << narrow;
  EXPECT_EQ(narrow.find("narrower"), narrow.rfind("narrower")) << "said twice";
  const std::string offset = said_by([] {
    static_cast<void>(
        doall::parallel_reduce(0, 10, 5L, [](int i) { return long{i}; }, std::plus<>{}));
  });
  EXPECT_NE(offset.find("not the identity"), std::string::npos) << offset;
  EXPECT_NE(offset.find("unit_native_reduce_views.cpp"), std::string::npos) << offset;
  const std::string offset_of_one = said_by([] {
    const std::pair first(0L, std::array<int, 2>{0, 1});
    static_cast<void>(doall::parallel_reduce(
        0, 10, first, [&](int) { return first; },
        [](const auto& a, const auto& b) {
          return std::pair(a.first + b.first,
                           std::array{a.second[0] + b.second[0], a.second[1] + b.second[1]});
        }));
  });
  EXPECT_NE(offset_of_one.find("not the identity"), std::string::npos) << offset_of_one;
  const std::string right = said_by([] {
    static_cast<void>(
        doall::parallel_reduce(0, 10, 0.0, [](int i) { return 0.5 * i; }, std::plus<>{}));
    static_cast<void>(
        doall::parallel_reduce(0, 10, 1.0, [](int i) { return 0.5 * i; }, std::multiplies<>{}));
    static_cast<void>(doall::parallel_reduce(
        0, 10, std::string(), [](int) { return std::string("a"); }, std::plus<>{}));
  });
  EXPECT_EQ(right, "");
}

}  // namespace
