// Teams for everyone beside tasks that the workers steal: each part of a team runs
// once, on a thread of its own, though workers are away; and which threads are away changes all the
// time.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "threads/pool.hpp"

namespace doall::team {
namespace {

constexpr std::uint32_t size_most = 4;

struct own_parts {
  std::atomic<std::uint32_t> ran[size_most] = {};
  std::atomic<std::uint32_t> here{0};
  std::uint32_t all = 0;
};

// Waits for all others of its team, as a region's threads may.
void run_part(const barrier::task& work, std::uint32_t w) {
  auto& its = *static_cast<own_parts*>(work.context);
  its.ran[w] += 1;
  its.here += 1;
  while (its.here != its.all) std::this_thread::yield();
}

void lead_team(std::uint32_t wanted, std::uint32_t launches) {
  pool::lease team(wanted, barrier::attendance::everyone);
  for (std::uint32_t i = 0; i < launches; ++i) {
    own_parts its;
    its.all = team.size();
    team.release({.run = run_part, .context = &its});
    if (i + 1 == launches) team.has_called();
    run_part({.context = &its}, 0);
    team.join();
    for (std::uint32_t w = 0; w < its.all; ++w) EXPECT_EQ(its.ran[w], 1U);
  }
}

TEST(Substitutes, EachPartRunsOnceWhileWorkersStealElsewhere) {
  std::mutex lock;  // which stolen tasks wait for, and the leader holds
  std::atomic<bool> ends{false};
  std::thread caller([&] {
    while (!ends) {
      task_group tasks;
      for (int t = 0; t < 20; ++t) {
        tasks.run([&] {
          const std::lock_guard locked(lock);
          std::this_thread::yield();
        });
      }
      tasks.wait();
    }
  });
  for (std::uint32_t round = 0; round < 400; ++round) {
    const std::lock_guard locked(lock);
    lead_team(2 + round % (size_most - 1), 1 + round % 2);
  }
  ends = true;
  caller.join();
}

}  // namespace
}  // namespace doall::team
