// Very many short loops at many sites, with random lengths and teams, none of which names a
// schedule: the choice whether to share them stays right, and memory stays bounded.
// As long as DOALL_TEST_SECONDS (4 when unset, times DOALL_TEST_LONG) or DOALL_TEST_LOOPS loops
// say, whichever ends first; the full soak is
//
//   DOALL_TEST_LOOPS=100000000 DOALL_TEST_SECONDS=100000 build/tests/property_auto_soak
//
// It also expects that long loops are shared. Beside other programs sharing may cost milliseconds,
// and then they rightly are not: so it needs a quiet machine. The engine has no delays before its
// atomics here: they would make a burden of milliseconds, too.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "base/cache_line.hpp"
#include "base/rng.hpp"
#include "support/seeds.hpp"
#include "team/site.hpp"

namespace {

using namespace doall;

constexpr std::uint32_t most_workers = 5;
constexpr std::uint32_t short_sites = 300;
constexpr std::uint32_t long_sites = 16;
// So few that nobody gains, even where a timing of one iteration counts the clock as its own.
constexpr std::uint64_t short_iterations_most = 4;
constexpr std::uint64_t loops_a_long_one = 4'096;
// How often a site runs before its choices count. It has been timed five times or more: while its
// first three timings are made, one that was preempted still counts.
constexpr std::uint32_t runs_to_settle = 40;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

// Plain, a line for each worker: release and join must order it.
struct alignas(base::apart_bytes) partial {
  std::uint64_t sum = 0;
  std::uint32_t calls = 0;
};

struct work {
  std::chrono::nanoseconds iteration{0};  // 0: no more than an addition
  std::array<partial, most_workers> parts{};
};

int run_part(void* context, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
             std::uint32_t worker) {
  auto& all = *static_cast<work*>(context);
  partial& mine = all.parts.at(worker);
  mine.calls += 1;
  for (std::uint64_t i = begin; i < end; i += step) {
    mine.sum += i + 1;
    if (all.iteration.count() == 0) continue;
    const auto until = std::chrono::steady_clock::now() + all.iteration;
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  return 0;
}

enum class ran { alone, shared };

// One loop of that site of the source, on up to `workers` workers.
ran run_loop(std::uint32_t site, std::uint64_t iterations, std::uint32_t workers,
             std::chrono::nanoseconds iteration = {}) {
  work all{.iteration = iteration};
  doall_loop loop{};
  loop.size = sizeof loop;
  loop.iterations = iterations;
  loop.body = run_part;
  loop.context = &all;
  loop.file = "stress_auto_soak";
  loop.line = site + 1;
  const thread_scope team(workers);
  EXPECT_EQ(doall_run(&loop), 0);
  std::uint64_t sum = 0;
  std::uint32_t calls = 0;
  for (const partial& part : all.parts) {
    sum += part.sum;
    calls += part.calls;
  }
  EXPECT_EQ(sum, iterations * (iterations + 1) / 2) << "site " << site;
  return calls == 1 && all.parts[0].calls == 1 ? ran::alone : ran::shared;
}

std::uint64_t resident_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4096;
}

// How often a choice was made, and how often it was the right one.
struct choices {
  std::uint64_t made = 0;
  std::uint64_t right = 0;

  void add(bool is_right) {
    made += 1;
    right += is_right ? 1 : 0;
  }
  double share() const {
    return made == 0 ? 1 : static_cast<double>(right) / static_cast<double>(made);
  }
};

// Of a loop of a few additions nobody could gain by sharing; of one of milliseconds everybody does.
TEST(AutoSoak, ChoicesStayRightAndMemoryBounded) {
  if (!team::environment().small_loops_alone) GTEST_SKIP() << "DOALL_SMALL_LOOPS is set";
  const auto duration =
      std::chrono::seconds(setting("DOALL_TEST_SECONDS", 4 * tests::times_longer()));
  const bool is_full = std::getenv("DOALL_TEST_LOOPS") != nullptr;
  const std::uint64_t loops = setting("DOALL_TEST_LOOPS", 100'000'000);
  const auto begin = std::chrono::steady_clock::now();
  base::rng random(setting("DOALL_TEST_SEED", 1));
  std::vector<std::uint32_t> runs(short_sites + long_sites);
  std::array<choices, 2> of_short;  // of the first half of the time, and of the second
  choices of_long;
  std::uint64_t bytes_half_way = 0;
  std::uint64_t run = 0;
  std::size_t half = 0;
  for (; run < loops; ++run) {
    if (run % 64 == 0) {
      const auto spent = std::chrono::steady_clock::now() - begin;
      if (spent >= duration) break;
      if (half == 0 && (2 * spent >= duration || 2 * run >= loops)) {
        half = 1;
        bytes_half_way = resident_bytes();
      }
    }
    const auto workers = static_cast<std::uint32_t>(2 + random.below(most_workers - 1));
    const bool is_long = run % loops_a_long_one == 0;
    const auto site = static_cast<std::uint32_t>(is_long ? short_sites + random.below(long_sites)
                                                         : random.below(short_sites));
    const bool settled = ++runs[site] > runs_to_settle;
    if (is_long) {
      const ran found = run_loop(site, 512, workers, std::chrono::microseconds(4));
      if (settled) of_long.add(found == ran::shared);
    } else {
      const ran found = run_loop(site, 1 + random.below(short_iterations_most), workers);
      if (settled) of_short.at(half).add(found == ran::alone);
    }
    ASSERT_FALSE(HasFailure()) << "loop " << run;
  }
  RecordProperty("loops", std::to_string(run));
  RecordProperty("right_short", std::to_string(of_short[1].share()));
  RecordProperty("right_long", std::to_string(of_long.share()));
  RecordProperty("long", std::to_string(of_long.made));
  RecordProperty("bytes_half_way", std::to_string(bytes_half_way));
  RecordProperty("bytes", std::to_string(resident_bytes()));
  EXPECT_GT(run, 0U);
  for (const choices& made : of_short) EXPECT_GE(made.share(), 0.99) << "of " << made.made;
  if (is_full) EXPECT_GE(of_long.share(), 0.95) << "of " << of_long.made;
  EXPECT_LE(team::count_sites(), short_sites + long_sites + 16);
  constexpr std::uint64_t grows_most = std::uint64_t{8} << 20;
  if (half == 1) EXPECT_LE(resident_bytes(), bytes_half_way + grows_most);
}

}  // namespace
