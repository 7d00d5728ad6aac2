// Nested reductions that the program's own code runs where it meets them
// (detail/open_reductions.hpp): what they add up, and that they are shared. Under thieves:
// unit_native_open_loops_run.cpp.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <functional>
#include <string>

#include "support/inside_loop.hpp"

namespace {

using doall::tests::among_thieves;
using doall::tests::inside;

// Of whatever length, and wherever it is run.
TEST(OpenReductions, KeepTheFixedOrder) {
  const auto sum = [](int n) {
    return doall::parallel_reduce(
        0, n, 0.0, [](int i) { return (i % 3 == 0 ? -1.0 : 1.0) / (1.0 + i); }, std::plus<>());
  };
  for (int n = 1; n < 700; n += 1 + n / 16) {
    double outermost = 0;
    {
      const doall::thread_scope team(3);
      outermost = sum(n);
    }
    const auto check = [&] {
      for (int r = 0; r < 50; ++r) ASSERT_EQ(sum(n), outermost) << n;
    };
    inside(2, check);
    among_thieves(4, check);
  }
}

TEST(OpenReductions, RunFromLeftToRightInAnyOrder) {
  inside(2, [&] {
    std::string expected;
    for (int n = 1; n <= 20; ++n) {
      expected += static_cast<char>('a' + n - 1);
      for (int r = 0; r < 200; ++r) {
        const std::string all = doall::parallel_reduce(
            0, n, std::string(), [](int i) { return std::string(1, static_cast<char>('a' + i)); },
            std::plus<>(), {.order = doall::reduce_order::any});
        ASSERT_EQ(all, expected);
        const long sum = doall::parallel_reduce(
            0, n, 0L, [](doall::range<int> part) { return static_cast<long>(part.size()); },
            std::plus<>(), {.order = doall::reduce_order::any});
        ASSERT_EQ(sum, n);
      }
    }
  });
}

// Whether the innermost loop around is shared: it has a frame.
bool is_shared() {
  const doall_thread* const here = doall_thread_here();
  return here != nullptr && (here->innermost->kind == nullptr || here->innermost->limit == 0);
}

// Few blocks, of more indices each than are worth a piece.
TEST(OpenReductions, OfManyShortIterationsAreShared) {
  constexpr int n = 4'000'000;
  among_thieves(3, [&] {
    int shared = 0;
    for (int round = 0; round < 30; ++round) {
      // Known by now; and it owes the runtime no timing, so it runs here.
      if (round >= 10) doall::detail::this_thread->inlined = 1;
      std::atomic<bool> seen = false;
      const long sum = doall::parallel_reduce(
          0, n, 0L,
          [&](doall::range<int> part) {
            if (is_shared()) seen = true;
            for (int i = part.first(); i < part.last(); ++i) asm volatile("");
            return static_cast<long>(part.size());
          },
          std::plus<>());
      ASSERT_EQ(sum, n);
      if (round >= 10 && seen) ++shared;
    }
    EXPECT_GE(shared, 15) << "of 20";
  });
}

}  // namespace
