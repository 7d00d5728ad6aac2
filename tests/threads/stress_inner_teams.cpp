// Teams inside of teams, from several callers, with delays before atomics: each part of
// each inner team runs once, on threads that no other team has at that time, and no more threads
// are started than have been at work at a time.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

#include "base/rng.hpp"
#include "support/seeds.hpp"
#include "threads/pool.hpp"

namespace doall::team {
namespace {

constexpr std::uint32_t outer_workers = 3;
constexpr std::uint32_t most_inner = 4;
constexpr int leases_a_part = 20;

thread_local int teams_here = 0;  // in whose parts this thread is, but for those that it leads

auto threads_alive() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// Once there are no more than `most`, or half a minute later. A thread that was joined stands in
// /proc for a moment more: its end wakes who joins it before it leaves there. Kept threads stay.
auto threads_alive_after_those_that_end(std::ptrdiff_t most) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  auto alive = threads_alive();
  while (alive > most && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
    alive = threads_alive();
  }
  return alive;
}

// One inner team's parts.
struct parts {
  std::array<std::atomic<int>, most_inner> ran{};
  std::atomic<bool> wrong{false};
};

void run_inner_team(std::uint32_t wanted, std::uint32_t around, std::atomic<bool>& wrong) {
  parts all;
  pool::lease inner(wanted, pool::lease::inside{around});
  inner.run({.run =
                 [](const barrier::task& work, std::uint32_t w) {
                   auto& mine = *static_cast<parts*>(work.context);
                   if (w != 0 && ++teams_here != 1) mine.wrong = true;
                   mine.ran.at(w) += 1;
                   if (w != 0) --teams_here;
                 },
             .context = &all});
  if (inner.size() != wanted || all.wrong) wrong = true;
  for (std::uint32_t w = 0; w < most_inner; ++w) {
    if (all.ran[w] != (w < wanted ? 1 : 0)) wrong = true;
  }
}

// An outer team, each of whose workers leads inner ones of changing size. The program's other
// threads find it leased, and run alone.
void run_nest(std::uint64_t seed, std::atomic<bool>& wrong) {
  struct nest {
    std::uint64_t seed;
    std::atomic<bool>& wrong;
  } all{seed, wrong};
  pool::lease outer(outer_workers);
  if (outer.size() == 1) return;
  outer.run({.run =
                 [](const barrier::task& work, std::uint32_t w) {
                   const auto& all = *static_cast<const nest*>(work.context);
                   base::rng random(all.seed * outer_workers + w);
                   for (int i = 0; i < leases_a_part; ++i) {
                     const auto wanted = static_cast<std::uint32_t>(1 + random.below(most_inner));
                     run_inner_team(wanted, outer_workers, all.wrong);
                   }
                 },
             .context = &all});
}

TEST(StressInnerTeams, RunEachPartOnceOnThreadsThatAreKept) {
  constexpr std::ptrdiff_t most_threads = outer_workers + outer_workers * (most_inner - 1);
  std::jthread([] {}).join();  // with the first one a sanitizer starts its own
  const auto before = threads_alive();
  tests::for_each_case(150, [&](base::rng& random) {
    const std::uint64_t seed = random.next();
    std::atomic<bool> wrong{false};
    {
      std::vector<std::jthread> callers;
      for (std::uint64_t c = 0; c < 2; ++c) {
        callers.emplace_back([&, c] { run_nest(2 * seed + c, wrong); });
      }
    }
    EXPECT_FALSE(wrong);
    const std::ptrdiff_t most = before + most_threads - 1;
    EXPECT_LE(threads_alive_after_those_that_end(most), most);
  });
}

// Sizes that follow each other: the threads of one shape of nest serve the next.
TEST(StressInnerTeams, MoveFromPoolToPool) {
  std::atomic<bool> wrong{false};
  for (const auto& [outer, inner] :
       std::vector<std::pair<std::uint32_t, std::uint32_t>>{{2, 4}, {4, 2}, {3, 3}, {2, 4}}) {
    struct nest {
      std::uint32_t inner;
      std::atomic<bool>& wrong;
    } all{inner, wrong};
    pool::lease team(outer);
    team.run({.run =
                  [](const barrier::task& work, std::uint32_t) {
                    const auto& all = *static_cast<const nest*>(work.context);
                    for (int i = 0; i < leases_a_part; ++i) {
                      run_inner_team(all.inner, work.workers, all.wrong);
                    }
                  },
              .context = &all});
  }
  EXPECT_FALSE(wrong);
}

TEST(StressInnerTeams, EndWithTheOthersAndStartAgain) {
  std::atomic<bool> wrong{false};
  for (std::uint64_t i = 0; i < 20; ++i) {
    run_nest(i, wrong);
    pool::end_idle_workers();
  }
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace doall::team
