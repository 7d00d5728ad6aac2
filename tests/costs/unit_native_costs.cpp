// doall::cost, weights, cost_table: by every door that takes them, with the loop's own indices, and
// summed up no more often than costs change.
#include <doall/doall.h>
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "costs/loop_costs.hpp"
#include "support/every_schedule.hpp"
#include "support/inside_loop.hpp"

namespace {

std::uint64_t made() { return doall::costs::count_costs().made; }
std::uint64_t reused() { return doall::costs::count_costs().reused; }

class Costs : public testing::Test {
 protected:
  static constexpr int n = 50'000;  // enough for their sums to be made in parallel

  void SetUp() override {
    degree.resize(n);
    for (int i = 0; i < n; ++i) degree[i] = (i * 7919) % 100;
    for (auto& count : seen) count = 0;
  }

  auto body() {
    return [this](int i) { ++seen[static_cast<std::size_t>(i)]; };
  }
  void expect_each(int times) {
    for (auto& count : seen) ASSERT_EQ(count, times);
  }

  const doall::thread_scope three{3};
  std::vector<int> degree;
  std::vector<std::atomic<int>> seen = std::vector<std::atomic<int>>(n);
};

// Only wsrw makes sums by owner: so costs, and no schedule, mean wsrw.
TEST_F(Costs, WithoutAScheduleMeanWsrw) {
  const std::uint64_t before = made();
  doall::parallel_for(0, n, body(), doall::cost([&](auto i) { return degree[i]; }));
  EXPECT_EQ(made(), before + 1);
  doall::parallel_for(0, n, body(), doall::weights(degree));
  EXPECT_EQ(made(), before + 2);
  std::vector<std::uint64_t> sums(n + 1);
  std::partial_sum(degree.begin(), degree.end(), sums.begin() + 1);
  doall::parallel_for(0, n, body(), {.costs = sums});
  EXPECT_EQ(made(), before + 3);
  expect_each(3);
  // A schedule that is named stays.
  doall::parallel_for(0, n, body(),
                      {.how = doall::schedule::dynamic(), .costs = doall::weights(degree)});
  EXPECT_EQ(made(), before + 3);
  expect_each(4);
}

TEST_F(Costs, AreUsedAgain) {
  const auto loop = [&] {
    doall::parallel_for(0, n, body(), doall::cost([&](auto i) { return degree[i]; }));
  };
  loop();
  const std::uint64_t made_before = made();
  const std::uint64_t reused_before = reused();
  for (int run = 0; run < 10; ++run) loop();
  EXPECT_EQ(made(), made_before);
  EXPECT_EQ(reused(), reused_before + 10);
  {
    const doall::thread_scope two(2);  // the same sums serve any number
    loop();
  }
  EXPECT_EQ(made(), made_before);
  degree[0] += 1;
  loop();
  EXPECT_EQ(made(), made_before + 1);
  expect_each(13);
}

TEST_F(Costs, OfATableChangeWhenItSays) {
  doall::cost_table table(doall::weights(degree));
  const std::uint64_t before = made();
  for (int run = 0; run < 3; ++run) doall::parallel_for(0, n, body(), table);
  doall::parallel_for(0, n, body(), {.how = doall::schedule("wsrw,4"), .costs = table});
  EXPECT_EQ(made(), before + 1);
  degree[0] += 1;  // which it does not say
  doall::parallel_for(0, n, body(), table);
  EXPECT_EQ(made(), before + 1);
  table.changed();
  for (int run = 0; run < 3; ++run) doall::parallel_for(0, n, body(), table);
  EXPECT_EQ(made(), before + 2);
  expect_each(8);
}

TEST_F(Costs, OfTwoTablesInTurnAreKept) {
  std::vector<int> other(degree.rbegin(), degree.rend());
  doall::cost_table one(doall::weights(degree));
  doall::cost_table two(doall::weights(other));
  const auto loops = [&](int runs) {
    for (int run = 0; run < runs; ++run) {
      doall::parallel_for(0, n, body(), one);
      doall::parallel_for(0, n, body(), two);
    }
  };
  const std::uint64_t before = made();
  loops(5);
  EXPECT_EQ(made(), before + 2);
  one.changed();
  loops(5);
  EXPECT_EQ(made(), before + 3);
  expect_each(20);
}

// Which is the same table until one of the two changes.
TEST_F(Costs, OfATableAndItsCopyAreKept) {
  const doall::cost_table one(doall::weights(degree));
  doall::cost_table copy = one;
  const auto loops = [&] {
    doall::parallel_for(0, n, body(), one);
    doall::parallel_for(0, n, body(), copy);
  };
  const std::uint64_t before = made();
  loops();
  EXPECT_EQ(made(), before + 1);
  copy.changed();
  for (int run = 0; run < 2; ++run) loops();  // the copy's took the place of the other's
  const std::uint64_t made_by_now = made();
  for (int run = 0; run < 5; ++run) loops();
  EXPECT_EQ(made(), made_by_now);
  expect_each(16);
}

TEST_F(Costs, GenerationsAndHintsArePassedOn) {
  const auto loop = [&](std::uint64_t generation) {
    doall::parallel_for(0, n, body(), doall::weights(degree).generation(generation));
  };
  const std::uint64_t before = made();
  loop(3);
  degree[0] += 1;
  loop(3);
  EXPECT_EQ(made(), before + 1);
  loop(4);
  EXPECT_EQ(made(), before + 2);
  std::vector<int> other(n);
  for (int i = 0; i < n; ++i) other[i] = i;
  doall::parallel_for(0, n, body(), doall::weights(other).guarded());
  doall::parallel_for(0, n, body(), doall::weights(other).uniform());
  doall::parallel_for(0, n, body(), doall::uniform_costs());
  EXPECT_EQ(made(), before + 2);
  expect_each(6);
}

// Of the loop's own index, in either type of counting.
TEST_F(Costs, AreOfTheLoopsIndex) {
  std::atomic<int> wrong{0};
  const auto between = [&](auto first, auto last, auto step) {
    return [&wrong, first, last, step](auto i) {
      const auto index = static_cast<decltype(first)>(i);
      if (index < std::min(first, last) || index > std::max(first, last)) ++wrong;
      if ((index - first) % step != 0) ++wrong;
      return static_cast<std::uint64_t>(index - first) % 1000;
    };
  };
  const auto nothing = [](auto) {};
  const std::uint64_t before = made();
  doall::parallel_for(-20'000, 20'000, nothing, doall::cost(between(-20'000, 20'000, 1)));
  doall::parallel_for(30'000, -30'000, -3, nothing, doall::cost(between(30'000, -30'000, -3)));
  constexpr std::uint64_t far = std::uint64_t{1} << 63;
  doall::parallel_for(far, far + 20'000, nothing,
                      doall::cost(between(far, far + 20'000, far / far)));
  doall::parallel_for(std::int8_t{-100}, std::int8_t{100}, nothing,
                      doall::cost([](int i) { return i + 200; }));
  EXPECT_EQ(made(), before + 4);
  EXPECT_EQ(wrong, 0);
}

// A table compares nothing, so what it keeps is for the same indices: by first, by step, and by how
// many, also where blocks of them are dealt, of which there are as many.
TEST_F(Costs, OfATableAreOfTheLoopsIndices) {
  std::atomic<std::uint64_t> asked{0};
  const doall::cost_table table(doall::cost([&](std::uint64_t i) {
    ++asked;
    return 10 + i % 7;
  }));
  const auto nothing = [](std::uint64_t) {};
  const auto expect_asked = [&](const char* what, const auto& loop) {
    loop();
    EXPECT_NE(asked.exchange(0), 0U) << what;
    loop();
    EXPECT_EQ(asked.exchange(0), 0U) << what << ", again";
  };
  const std::uint64_t all = 2 * n;
  const auto sum = [&](std::uint64_t last) {
    return doall::parallel_reduce(
        std::uint64_t{0}, last, std::uint64_t{0}, [](std::uint64_t i) { return i; }, std::plus<>(),
        table);
  };
  const std::uint64_t half = n;
  const std::uint64_t two = 2;
  expect_asked("the first half", [&] { doall::parallel_for(two - two, half, nothing, table); });
  expect_asked("the second", [&] { doall::parallel_for(half, all, nothing, table); });
  expect_asked("each other", [&] { doall::parallel_for(two - two, all, two, nothing, table); });
  expect_asked("blocks of a tenth", [&] { sum(half / 5); });
  expect_asked("blocks of all", [&] { EXPECT_EQ(sum(all), all * (all - 1) / 2); });
}

// A caller has room for this release's descriptor, whichever was named.
TEST_F(Costs, AreTakenBackAsThisReleasesAre) {
  struct {
    doall_costs costs;
    std::uint64_t beyond[2];
  } later{}, taken{};
  const std::vector<std::uint64_t> sums{0, 1, 2};
  later.costs.size = sizeof later;
  later.costs.kind = DOALL_COSTS_SUMS;
  later.costs.iterations = 2;
  later.costs.data = later.costs.identity = sums.data();
  later.beyond[0] = 1;
  doall_loop_costs_name(&later.costs);
  ASSERT_EQ(doall_loop_costs_take(&taken.costs), 1);
  EXPECT_EQ(taken.costs.size, sizeof taken.costs);
  EXPECT_EQ(taken.costs.iterations, 2U);
  EXPECT_EQ(taken.costs.identity, sums.data());
  EXPECT_EQ(taken.beyond[0], 0U);
  EXPECT_EQ(doall_loop_costs_take(&taken.costs), 0);
}

// Although it could run where it is met, as the loops before it did.
TEST_F(Costs, NamedInAnIterationAreTakenByTheNextLoopInside) {
  const std::vector<std::uint64_t> sums{0, 1, 2, 3};
  doall_costs costs{};
  costs.size = sizeof costs;
  costs.kind = DOALL_COSTS_SUMS;
  costs.iterations = 3;
  costs.data = sums.data();
  doall::tests::inside(2, [&] {
    const auto loop = [] { doall::parallel_for(0, 3, [](int) {}, doall::schedule::lbs()); };
    for (int run = 0; run < 50; ++run) loop();
    doall::detail::this_thread->inlined = 1;  // it owes the runtime no timing
    doall_loop_costs_name(&costs);
    loop();
    EXPECT_EQ(doall_loop_costs_take(&costs), 0);
  });
}

TEST_F(Costs, ServeEveryLoop) {
  const std::uint64_t before = made();
  doall::parallel_for_each(
      degree, [](int&) {}, doall::cost([&](std::size_t i) { return 1.5 * degree[i]; }));
  EXPECT_EQ(made(), before + 1);
  std::list<int> values(degree.begin(), degree.end());
  doall::parallel_for_each(values, [](int& v) { ++v; }, doall::weights(degree));
  EXPECT_EQ(made(), before + 2);
  const auto one = [](int) { return 1; };
  for (const auto order : {doall::reduce_order::fixed, doall::reduce_order::any}) {
    doall::loop_options options{.costs = doall::weights(degree), .order = order};
    EXPECT_EQ(doall::parallel_reduce(0, n, 0, one, std::plus<>{}, options), n);
    options.costs = doall::cost([&](int i) { return degree[i] * 0.25; });
    EXPECT_EQ(doall::parallel_reduce(0, n, 0, one, std::plus<>{}, options), n);
  }
}

// By doall.h's functions.
TEST_F(Costs, NamedForALoopAreOfItsIndices) {
  std::atomic<int> asked{0};
  std::uint64_t generation = 0;
  const auto name = [&] {
    asked = 0;
    doall_loop_costs_function(
        [](void* count, std::uint64_t i) -> std::uint64_t {
          ++*static_cast<std::atomic<int>*>(count);
          return 1000 + i % 7;
        },
        &asked, ++generation);
  };
  const auto one = [](int) { return 1; };
  name();
  EXPECT_EQ(doall::parallel_reduce(0, n, 0, one, std::plus<>{}), n);
  EXPECT_GE(asked, n);
  std::list<int> values(degree.begin(), degree.end());
  name();
  doall::parallel_for_each(values, [](int& v) { ++v; });
  EXPECT_GE(asked, n);
}

// And of no loop that comes after it, also if it has nothing to run or does without costs.
TEST_F(Costs, NamedForALoopAreThatLoopsAlone) {
  const auto takes = [&](const auto& loop) {
    const std::uint64_t none = 0;
    doall_costs left;
    doall_loop_costs_sums(&none, 0, 0);
    loop();
    return doall_loop_costs_take(&left) == 0;
  };
  const auto one = [](int) { return 1; };
  std::vector<int> few(3);
  std::vector<int> none;
  std::list<int> none_linked;
  const auto ignore = [](int) {};
  EXPECT_TRUE(takes([&] { doall::parallel_for(0, 0, ignore); }));
  EXPECT_TRUE(takes([&] { doall::parallel_reduce(0, 0, 0, one, std::plus<>{}); }));
  EXPECT_TRUE(takes([&] { doall::parallel_for_each(none, ignore); }));
  EXPECT_TRUE(takes([&] { doall::parallel_for_each(none_linked, ignore); }));
  EXPECT_TRUE(takes([&] { doall::parallel_scan(none, 0, std::plus<>{}); }));
  EXPECT_TRUE(takes([&] { doall::parallel_scan(few, 0, std::plus<>{}); }));
  EXPECT_TRUE(takes([&] { doall::parallel_find(none, 0); }));
  EXPECT_TRUE(takes([&] { doall::parallel_pack(none, few.begin(), one); }));
  EXPECT_TRUE(takes([&] { doall::parallel_for(doall::space(0, 3), [](int, int) {}); }));
  // Of nested loops, which else run without the runtime.
  std::atomic<int> left{0};
  const auto nested = [&](int) {
    for (int k = 0; k < 3; ++k) {
      if (!takes([&] { doall::parallel_for(0, 10, ignore); })) ++left;
      if (!takes([&] { doall::parallel_for(0, 1, ignore); })) ++left;
      if (!takes([&] { doall::parallel_for_each(few, ignore); })) ++left;
      if (!takes([&] { doall::parallel_reduce(0, 10, 0, one, std::plus<>{}); })) ++left;
    }
  };
  for (int run = 0; run < 3; ++run) doall::parallel_for(0, 8, nested);
  EXPECT_EQ(left, 0);
}

TEST_F(Costs, OfTheWrongNumberAreRefused) {
  const std::vector<double> ten(10);
  for (const int iterations : {9, 11}) {
    try {
      doall::parallel_for(0, iterations, body(), doall::weights(ten));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()),
                "doall: weights has 10 entries, expected as many as the loop's " +
                    std::to_string(iterations) + " iterations; the loop was not run");
    }
  }
  expect_each(0);
}

// All sums in parallel, as the loop that steals by them: an iteration that costs all.
TEST_F(Costs, MayAllLieInOneIteration) {
  std::vector<std::string> all = doall::tests::every_costed_text();
  all.emplace_back("wsrw,assign=block");
  int runs = 0;
  for (const int giant : {0, 1, n / 2, n - 1}) {
    std::vector<double> costs(n, 0);
    costs[giant] = 1e300;
    for (const std::string& how : all) {
      doall::parallel_for(0, n, body(),
                          {.how = doall::schedule(how), .costs = doall::weights(costs)});
      ++runs;
    }
  }
  expect_each(runs);
}

TEST_F(Costs, NoneAreNeededForEmptyLoops) {
  doall::parallel_for(0, 0, body(), doall::cost([](int) { return 1; }));
  doall::parallel_for(0, 0, body(), doall::weights(std::span<const int>()));
  doall::parallel_for(0, 1, body(), doall::cost([](int) { return -1; }));
  EXPECT_EQ(seen[0], 1);
}

// Of nested loops costs do nothing.
TEST_F(Costs, OfNestedLoopsDoNoHarm) {
  doall::parallel_for(
      0, 50,
      [&](int outer) {
        doall::parallel_for(
            0, 1000, [&](int i) { ++seen[outer * 1000 + i]; },
            doall::cost([&](int i) { return degree[i]; }));
      },
      doall::cost([](int i) { return i; }));
  expect_each(1);
}

}  // namespace
