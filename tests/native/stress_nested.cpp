// Random programs of nested loops on real threads, under every splitting schedule, hybrid and
// the default: each gives the serial answer. The full run is
//
//   DOALL_TEST_CASES=1000000 build/tests/native_stress --file=stress_nested
//   --gtest_filter=Nested.EveryProgram*
#include <doall/doall.hpp>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "schedule/registry.hpp"
#include "support/any_nest.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

const u64 most_ns = 20'000'000'000 * times_longer();

std::vector<loop_options> all_options() {
  std::vector<loop_options> all(1);
  for (const schedules::entry& e : schedules::registry()) {
    if (e.splits == nullptr && !is_hybrid(e)) continue;
    all.emplace_back(schedule(std::string(e.name)));
  }
  return all;
}

nest_shape any_shape(base::rng& random) {
  return {.depth_most = static_cast<unsigned>(1 + random.below(6)),
          .width_most = static_cast<unsigned>(2 + random.below(random.below(4) == 0 ? 200 : 10)),
          .nodes_most = static_cast<unsigned>(10 + random.below(1000)),
          .cost_most = static_cast<unsigned>(random.below(2) == 0 ? 0 : random.below(300))};
}

TEST(Nested, EveryProgramGivesTheSerialAnswer) {
  const auto all = all_options();
  for_each_case(
      500 * times_longer(),
      [&](base::rng& random) {
        const nest_shape shape = any_shape(random);
        const any_nest program(random.next(), shape);
        const u64 expected = program.serially();
        const thread_scope team(static_cast<std::int64_t>(1 + random.below(5)));
        for (const loop_options& options : all) {
          ASSERT_EQ(program.in_parallel(options), expected);
        }
      },
      most_ns);
}

// Inner loops that find another schedule around them than their own.
TEST(Nested, SchedulesMix) {
  const auto all = all_options();
  for_each_case(
      300,
      [&](base::rng& random) {
        const thread_scope team(4);
        const auto pick = [&] { return all[random.below(all.size())]; };
        const loop_options outer = pick();
        const loop_options middle = pick();
        const loop_options inner = pick();
        const u64 n = 1 + random.below(20);
        std::vector<std::atomic<int>> times(n * n * n);
        parallel_for(
            u64{0}, n,
            [&](u64 i) {
              parallel_for(
                  u64{0}, n,
                  [&](u64 j) {
                    parallel_for(u64{0}, n, [&](u64 k) { ++times[(i * n + j) * n + k]; }, inner);
                  },
                  middle);
            },
            outer);
        for (const auto& t : times) ASSERT_EQ(t.load(), 1);
      },
      most_ns);
}

// Several threads, one set of workers: whoever finds the pool leased is stolen from.
TEST(Nested, CallersBesideEachOther) {
  const thread_scope team(4);
  for_each_case(
      20,
      [&](base::rng& random) {
        std::vector<std::thread> callers;
        std::atomic<int> wrong{0};
        for (int c = 0; c < 3; ++c) {
          callers.emplace_back([&wrong, seed = random.next()] {
            base::rng mine(seed);
            const thread_scope team_of_four(4);
            for (int i = 0; i < 50; ++i) {
              const any_nest program(mine.next(), any_shape(mine));
              if (program.in_parallel({}) != program.serially()) ++wrong;
            }
          });
        }
        for (auto& c : callers) c.join();
        ASSERT_EQ(wrong.load(), 0);
      },
      most_ns);
}

TEST(Nested, AnExceptionReachesItsCallerFromAnyDepth) {
  const auto all = all_options();
  for_each_case(
      200,
      [&](base::rng& random) {
        const thread_scope team(4);
        const loop_options options = all[random.below(all.size())];
        const int bad_i = static_cast<int>(random.below(8));
        const int bad_j = static_cast<int>(random.below(40));
        std::atomic<int> caught{0};
        const auto outer = [&] {
          parallel_for(
              0, 8,
              [&](int i) {
                try {
                  parallel_for(
                      0, 40,
                      [&](int j) {
                        if (i == bad_i && j == bad_j) throw std::runtime_error("inner");
                      },
                      options);
                } catch (const std::runtime_error&) {
                  ++caught;
                  throw std::logic_error("outer");
                }
              },
              options);
        };
        EXPECT_THROW(outer(), std::logic_error);
        EXPECT_EQ(caught.load(), 1);
        // The workers are as good as before.
        std::atomic<int> sum{0};
        parallel_for(0, 100, [&](int i) { sum += i; }, options);
        ASSERT_EQ(sum.load(), 4950);
      },
      most_ns);
}

TEST(Nested, AReductionHasTheSameBitsUnderStealing) {
  const auto all = all_options();
  std::vector<double> terms(5'000);
  base::rng random(3);
  for (double& t : terms) t = static_cast<double>(random.next()) / 1e3;
  const auto sum = [&](const loop_options& options) {
    return parallel_reduce(
        std::size_t{0}, terms.size(), 0.0, [&](std::size_t i) { return terms[i]; }, std::plus<>(),
        options);
  };
  const double expected = [&] {
    const thread_scope alone(1);
    return sum({});
  }();
  const thread_scope team(4);
  for (const loop_options& options : all) {
    for (int run = 0; run < 20; ++run) {
      std::vector<double> inner(8);
      parallel_for(
          0, 8, [&](int i) { inner[static_cast<std::size_t>(i)] = sum(options); }, options);
      for (const double s : inner) ASSERT_EQ(s, expected);
      ASSERT_EQ(sum(options), expected);
    }
  }
}

// Only what descends from the loop that is waited for may run under a lock that the body holds.
TEST(Nested, AJoinRunsNothingUnrelated) {
  const thread_scope team(4);
  const auto all = all_options();
  for_each_case(
      60,
      [&](base::rng& random) {
        const loop_options options = all[random.below(all.size())];
        thread_local int holding = 0;
        std::atomic<int> wrong{0};
        parallel_for(
            0, 16,
            [&](int) {
              if (holding != 0) ++wrong;  // this thread waits inside of another iteration
              ++holding;
              parallel_for(
                  0, 64,
                  [&](int j) {
                    for (int k = 0; k < 50 * (j % 7); ++k) asm volatile("");
                  },
                  options);
              --holding;
            },
            options);
        ASSERT_EQ(wrong.load(), 0);
      },
      most_ns);
}

}  // namespace
}  // namespace doall::tests
