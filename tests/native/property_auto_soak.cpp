// Very many short loops at many sites, with random lengths and teams, from one thread and from
// several at once, none of which names a schedule: the choice whether to share them stays right,
// whatever lengths the site had before, and memory stays bounded.
// As long as DOALL_TEST_SECONDS (4 when unset, times DOALL_TEST_LONG) or DOALL_TEST_LOOPS loops
// say, whichever ends first; the full soak is
//
//   DOALL_TEST_LOOPS=100000000 DOALL_TEST_SECONDS=100000 build/tests/native_tests
//   --file=property_auto_soak
//
// It also expects that long loops are shared. Beside other programs sharing may cost milliseconds,
// and then they rightly are not: so it needs a quiet machine. The engine has no delays before its
// atomics here: they would make a burden of milliseconds, too.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/cache_line.hpp"
#include "base/rng.hpp"
#include "sites/site.hpp"
#include "support/seeds.hpp"

namespace {

using namespace doall;

constexpr std::uint32_t most_workers = 5;
constexpr std::uint32_t short_sites = 300;
constexpr std::uint32_t long_sites = 16;
// Iterations of an addition: with so few nobody gains by sharing them, with more somebody might.
constexpr std::uint64_t short_iterations_most = 64;
constexpr std::uint64_t iterations_most = 10'000;
constexpr std::uint32_t callers_most = 4;
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
  void add(const choices& others) {
    made += others.made;
    right += others.right;
  }
  double share() const {
    return made == 0 ? 1 : static_cast<double>(right) / static_cast<double>(made);
  }
};

struct tally {
  std::uint64_t loops = 0;
  std::array<choices, 2> of_short;  // of the first half of the time, and of the second
  choices of_long;
  std::uint64_t bytes_half_way = 0;  // of the first caller
};

struct bounds {
  std::uint64_t loops = 0;
  std::chrono::nanoseconds duration{0};
};

// Every length from none to the most, short ones as often as long ones.
std::uint64_t any_length(base::rng& random) {
  std::uint64_t below = 1;
  while (below < iterations_most && random.below(14) != 0) below *= 2;
  return random.below(std::min(below, iterations_most) + 1);
}

// The loops of one calling thread. Sites are shared with the other callers.
tally run_loops(std::uint64_t seed, const bounds& until, std::uint32_t callers) {
  const auto begin = std::chrono::steady_clock::now();
  base::rng random(seed);
  std::vector<std::uint32_t> runs(short_sites + long_sites);
  tally mine;
  std::size_t half = 0;
  for (; mine.loops < until.loops; ++mine.loops) {
    if (mine.loops % 64 == 0) {
      const auto spent = std::chrono::steady_clock::now() - begin;
      if (spent >= until.duration) break;
      if (half == 0 && (2 * spent >= until.duration || 2 * mine.loops >= until.loops)) {
        half = 1;
        mine.bytes_half_way = resident_bytes();
      }
    }
    const auto workers = static_cast<std::uint32_t>(2 + random.below(most_workers - 1));
    const bool is_long = mine.loops % loops_a_long_one == 0;
    const auto site = static_cast<std::uint32_t>(is_long ? short_sites + random.below(long_sites)
                                                         : random.below(short_sites));
    const bool settled = ++runs[site] > runs_to_settle;
    if (is_long) {
      const ran found = run_loop(site, 512, workers, std::chrono::microseconds(4));
      // Beside other callers there may be nobody to share it with.
      if (settled && callers == 1) mine.of_long.add(found == ran::shared);
    } else {
      const std::uint64_t length = any_length(random);
      const ran found = run_loop(site, length, workers);
      if (settled && length > 0 && length <= short_iterations_most)
        mine.of_short.at(half).add(found == ran::alone);
    }
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed << ", loop " << mine.loops;
      break;
    }
  }
  return mine;
}

// Of a loop of a few additions nobody could gain by sharing; of one of milliseconds everybody does.
class AutoSoak : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AutoSoak, ChoicesStayRightAndMemoryBounded) {
  if (!team::environment().small_loops_alone) GTEST_SKIP() << "DOALL_SMALL_LOOPS is set";
  const std::uint32_t callers = GetParam();
  const bool is_full = std::getenv("DOALL_TEST_LOOPS") != nullptr;
  const bounds until{
      .loops = setting("DOALL_TEST_LOOPS", 100'000'000) / callers,
      .duration = std::chrono::seconds(setting("DOALL_TEST_SECONDS", 3 * tests::times_longer()))};
  const std::uint64_t seed = setting("DOALL_TEST_SEED", 1);
  std::vector<tally> found(callers);
  std::vector<std::thread> others;
  for (std::uint32_t caller = 1; caller < callers; ++caller)
    others.emplace_back([&, caller] { found[caller] = run_loops(seed + caller, until, callers); });
  found[0] = run_loops(seed, until, callers);
  for (std::thread& other : others) other.join();

  tally all;
  all.bytes_half_way = found[0].bytes_half_way;
  for (const tally& one : found) {
    all.loops += one.loops;
    for (std::size_t half = 0; half < 2; ++half) all.of_short.at(half).add(one.of_short.at(half));
    all.of_long.add(one.of_long);
  }
  RecordProperty("loops", std::to_string(all.loops));
  RecordProperty("right_short", std::to_string(all.of_short[1].share()));
  RecordProperty("right_long", std::to_string(all.of_long.share()));
  RecordProperty("long", std::to_string(all.of_long.made));
  RecordProperty("bytes_half_way", std::to_string(all.bytes_half_way));
  RecordProperty("bytes", std::to_string(resident_bytes()));
  EXPECT_GT(all.loops, 0U);
  // Which choice is right is judged by times, so not in the gate.
  if (tests::times_longer() > 1 || is_full) {
    for (const choices& made : all.of_short) EXPECT_GE(made.share(), 0.99) << "of " << made.made;
  }
  if (is_full) {
    EXPECT_GE(all.of_long.share(), 0.95) << "of " << all.of_long.made;
  }
  EXPECT_LE(team::count_sites(), short_sites + long_sites + 16);
  constexpr std::uint64_t grows_most = std::uint64_t{8} << 20;
  if (all.bytes_half_way != 0) {
    EXPECT_LE(resident_bytes(), all.bytes_half_way + grows_most);
  }
}

INSTANTIATE_TEST_SUITE_P(Callers, AutoSoak, testing::Values(1U, callers_most),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
