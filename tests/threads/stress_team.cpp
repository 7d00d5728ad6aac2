// The pool under real threads with delays: launches of changing size back to
// back, several callers at once, and exceptions, all with more workers than cores.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "schedule/registry.hpp"
#include "threads/pool.hpp"

namespace {

using doall::team::pool;

TEST(Pool, RunsEachWorkerOnceAtEverySize) {
  for (std::uint32_t round = 0; round < 3000; ++round) {
    const std::uint32_t wanted = 1 + round * 7 % 16;
    std::vector<int> ran(wanted, 0);  // plain: release and join must order it
    pool::lease team(wanted);
    ASSERT_EQ(team.size(), wanted);
    team.run({[](const doall::barrier::task& work, std::uint32_t w) {
                static_cast<int*>(work.argument)[w] += 1;
              },
              nullptr, nullptr, ran.data()});
    for (std::uint32_t w = 0; w < wanted; ++w) ASSERT_EQ(ran[w], 1) << "worker " << w;
  }
}

TEST(Pool, GivesASecondCallerATeamOfOne) {
  const pool::lease first(4);
  ASSERT_EQ(first.size(), 4U);
  const pool::lease second(4);
  EXPECT_EQ(second.size(), 1U);
}

TEST(Loops, OfSeveralCallersAreExact) {
  std::vector<std::thread> callers;
  for (int c = 0; c < 3; ++c) {
    callers.emplace_back([c] {
      for (int round = 0; round < 300; ++round) {
        std::vector<std::atomic<int>> seen(40 + c);
        const auto names = doall::schedules::registry();
        const doall::schedule how(std::string(names[round % names.size()].name));
        doall::parallel_for(0, 40 + c, [&](int i) { seen[i]++; }, how);
        for (auto& count : seen) ASSERT_EQ(count, 1);
      }
    });
  }
  for (auto& caller : callers) caller.join();
}

TEST(Loops, ThatThrowLeaveThePoolUsable) {
  for (int round = 0; round < 500; ++round) {
    EXPECT_THROW(doall::parallel_for(0, 100,
                                     [&](int i) {
                                       if (i % 10 == round % 10) throw std::runtime_error("stop");
                                     }),
                 std::runtime_error);
    std::atomic<int> calls{0};
    doall::parallel_for(0, 100, [&](int) { calls++; });
    ASSERT_EQ(calls, 100);
  }
}

}  // namespace
