// Loops of 0.6 ms, of which some run the other way to compare, and some begin alone and are then
// shared (src/decide): nothing is lost, or run twice.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <doall/doall.hpp>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace doall {
namespace {

constexpr int iterations = 600;
constexpr int runs = 12;

void spin() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(1);
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(NativeTrial, RunsEachIterationOnce) {
  for (int run = 0; run < runs; ++run) {
    std::vector<std::atomic<int>> ran(iterations);
    parallel_for(0, iterations, [&](int i) {
      spin();
      ++ran[static_cast<std::size_t>(i)];
    });
    for (const auto& times : ran) ASSERT_EQ(times, 1) << run;
  }
}

// In a fixed order and in any, operands stand as their indices do.
TEST(NativeTrial, KeepsTheOrderOfOperands) {
  std::vector<int> all(iterations);
  std::iota(all.begin(), all.end(), 0);
  const auto listed = [](int i) {
    spin();
    return std::vector<int>{i};
  };
  const auto joined = [](std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  for (int run = 0; run < runs; ++run) {
    ASSERT_EQ(parallel_reduce(0, iterations, std::vector<int>(), listed, joined), all) << run;
    const loop_options any{.order = reduce_order::any};
    ASSERT_EQ(parallel_reduce(0, iterations, std::vector<int>(), listed, joined, any), all) << run;
  }
}

// What others have in hand when it is thrown they end, which may be all the rest: not always.
TEST(NativeTrial, EndsAtAnException) {
  int ended_early = 0;
  for (int run = 0; run < runs; ++run) {
    std::atomic<int> ran = 0;
    const int thrown_at = run % 4 == 3 ? 2 : iterations;
    const auto loop = [&] {
      parallel_for(0, iterations, [&](int i) {
        spin();
        ++ran;
        if (i == thrown_at) throw std::runtime_error("stop");
      });
    };
    if (thrown_at == iterations) {
      loop();
      ASSERT_EQ(ran, iterations);
    } else {
      EXPECT_THROW(loop(), std::runtime_error);
      ended_early += ran < iterations ? 1 : 0;
    }
  }
  EXPECT_GT(ended_early, 0);
}

}  // namespace
}  // namespace doall
