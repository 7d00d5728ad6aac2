// What the shipped decision loses in random worlds, against the best decision in hindsight, and how
// long it takes to follow a change. In virtual time: figures are functions of the seeds.
// DOALL_TEST_CASES=10000 runs so many worlds, DOALL_TEST_FIRST=700001 from that one on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "base/env.hpp"
#include "rivals.hpp"
#include "shipped_policy.hpp"
#include "worlds.hpp"

namespace doall::tests {
namespace {

constexpr std::uint64_t usual_worlds = 1'000;

struct losses {
  double mean;  // geometric
  double percentile_99;
  double worst;
  std::uint64_t worst_seed;
};

// In worlds of a part of their calls.
template <class Policy>
losses losses_of(const char* name, std::uint32_t part = 1) {
  const auto asked =
      base::env_number("DOALL_TEST_CASES", 1, 1'000'000, std::to_string(usual_worlds));
  const std::uint64_t worlds = asked.value_or(usual_worlds);
  const std::uint64_t first =
      base::env_number("DOALL_TEST_FIRST", 1, ~std::uint64_t{0} - worlds, "1").value_or(1);
  std::vector<std::pair<double, std::uint64_t>> all;
  double logs = 0;
  double clairvoyant_logs = 0;
  for (std::uint64_t seed = first; seed < first + worlds; ++seed) {
    base::rng random(seed);
    world w = any_world(random);
    w.calls = w.calls / part + 1;
    Policy policy;
    const regret lost = regret_of(w, policy, random);
    all.emplace_back(lost.by_length, seed);
    logs += std::log(lost.by_length);
    clairvoyant_logs += std::log(lost.clairvoyant);
  }
  std::ranges::sort(all);
  const auto n = static_cast<double>(worlds);
  const losses found{std::exp(logs / n), all[all.size() * 99 / 100].first, all.back().first,
                     all.back().second};
  std::cout << name << " in " << worlds << " worlds: mean " << found.mean << ", 99th percentile "
            << found.percentile_99 << ", worst " << found.worst << " (seed " << found.worst_seed
            << "); mean against one who knows each run before: " << std::exp(clairvoyant_logs / n)
            << std::endl;
  return found;
}

TEST(Regret, IsSmallInRandomWorldsAndLessThanABandits) {
  const losses shipped = losses_of<shipped_policy>("shipped");
  EXPECT_LE(shipped.mean, 1.03);
  EXPECT_LE(shipped.percentile_99, 1.3);
  EXPECT_LE(shipped.worst, 2);
  const losses bandit = losses_of<ucb_policy>("UCB1");
  EXPECT_LT(shipped.mean, bandit.mean);
  EXPECT_LT(shipped.percentile_99, bandit.percentile_99);
  EXPECT_LT(shipped.worst, bandit.worst);
  EXPECT_LT(bandit.mean, losses_of<always_shares>("always shared").mean);
}

// UCB1 runs each length alone at its second call, however many workers that leaves without work. In
// programs of thousands of calls it loses 5 %, regions 7; in short ones far more than they.
TEST(Regret, OfRegionsThatCannotBeRecalledIsSmallInTheSameWorlds) {
  const losses regions = losses_of<shipped_regions>("regions");
  EXPECT_LE(regions.mean, 1.1);
  EXPECT_LE(regions.percentile_99, 2.5);
  EXPECT_LE(regions.worst, 6);
  for (const std::uint32_t part : {30U, 100U}) {
    const losses few = losses_of<shipped_regions>("regions, few calls", part);
    const losses bandit = losses_of<ucb_policy>("UCB1, few calls", part);
    EXPECT_LT(few.mean, bandit.mean);
    EXPECT_LT(few.percentile_99, bandit.percentile_99);
  }
}

// A site whose loops of one length change after `before` runs.
struct change {
  const char* what;
  kind before, after;
};

kind flat(double alone_ns, double speedup, std::uint64_t indices = 1'000) {
  return {indices, alone_ns / static_cast<double>(indices), 0, speedup};
}

world lasting(std::uint32_t workers) {
  world w{};
  w.workers = workers;
  w.burden_ns = 2'000 * (1 + 0.25 * std::log2(workers));
  return w;
}

// What is lost in the first runs after the change.
double lost_after(const change& c, std::uint32_t workers, std::uint32_t before_runs) {
  const world w = lasting(workers);
  shipped_policy policy;
  for (std::uint32_t i = 0; i < before_runs; ++i) policy.run(w, {&c.before, 1, 0});
  double lost_ns = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const call now{&c.after, 1, 0};
    lost_ns += policy.run(w, now) - w.best_ns(now);
  }
  return lost_ns;
}

TEST(Regret, AfterAChangeThatIsSeenIsAtMostThreeRunsOr5ms) {
  for (const std::uint32_t workers : {2U, 16U, 64U, 256U}) {
    const double p = workers;
    const std::vector<change> changes{
        {"a short loop gets long", flat(1'000, p), flat(1e7, p)},
        {"a long loop gets short", flat(1e7, p), flat(1'000, p)},
        {"ten times as long", flat(1e6, p), flat(1e7, p)},
        {"a tenth", flat(1e7, p), flat(1e6, p)},
        {"its workers begin to wait for each other", flat(50'000, p), flat(50'000, 0.5)},
    };
    for (const change& c : changes) {
      for (const std::uint32_t before : {5U, 100U, 5'000U}) {
        const world w = lasting(workers);
        const double run_ns = std::max(c.after.work_ns(), c.after.shared_ns(w.burden_ns));
        EXPECT_LE(lost_after(c, workers, before), std::max(5e6, 3 * run_ns))
            << c.what << ", " << workers << " workers, after " << before << " runs";
      }
    }
  }
}

TEST(Regret, AfterWorkersBeginToWaitForEachOtherIsAtMostFourRuns) {
  for (const std::uint32_t workers : {2U, 16U, 64U, 256U}) {
    const double p = workers;
    const std::vector<change> changes{
        {"of 1 ms", flat(1e6, p), flat(1e6, 0.5)},
        {"and ten times as long", flat(1e6, p), flat(1e7, 0.5)},
    };
    for (const change& c : changes) {
      for (const std::uint32_t before : {5U, 100U, 5'000U}) {
        const double run_ns = c.after.shared_ns(lasting(workers).burden_ns);
        EXPECT_LE(lost_after(c, workers, before), 4 * run_ns)
            << c.what << ", " << workers << " workers, after " << before << " runs";
      }
    }
  }
}

TEST(Regret, OfARegionThatGetsLongIsThatOfFourRuns) {
  for (const std::uint32_t workers : {2U, 16U, 256U}) {
    const world w = lasting(workers);
    const kind before = flat(400, workers);
    const kind after = flat(5e6, workers);
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
      shipped_regions policy;
      for (std::uint32_t i = 0; i < 2'000 + seed; ++i) policy.run(w, {&before, 1, 0});
      int alone = 0;
      for (int i = 0; i < 20; ++i) {
        policy.run(w, {&after, 1, 0});
        alone += policy.last.began_alone ? 1 : 0;
      }
      EXPECT_LE(alone, 4) << workers << " workers, seed " << seed;
    }
  }
}

// Of a region that is long for a while and then short for good: what the short runs lose, but a
// hundred burdens.
TEST(Regret, OfARegionThatGetsShortAgainIsHalfOfWhatItHasTaken) {
  for (const std::uint32_t workers : {2U, 16U, 256U}) {
    const world w = lasting(workers);
    const kind brief = flat(400, workers);
    for (const double long_ns : {1e5, 1e6, 1e7}) {
      const kind lengthy = flat(long_ns, workers);
      for (const int long_runs : {20, 200}) {
        shipped_regions policy;
        double before_ns = 0;
        for (int i = 0; i < 200; ++i) before_ns += policy.run(w, {&brief, 1, 0});
        for (int i = 0; i < long_runs; ++i) before_ns += policy.run(w, {&lengthy, 1, 0});
        double lost_ns = 0;
        for (int i = 0; i < 20'000; ++i) lost_ns += policy.run(w, {&brief, 1, 0}) - brief.work_ns();
        EXPECT_LE(lost_ns, std::max(0.5 * before_ns, 100 * w.burden_ns))
            << workers << " workers, " << long_runs << " runs of " << long_ns << " ns";
      }
    }
  }
}

// Nothing shows that its workers would no longer slow each other down: this is found out by
// exploring, which may cost 0.5 %.
TEST(Regret, AfterAChangeThatIsNotSeenIsThatOfSomeHundredRuns) {
  for (const std::uint32_t workers : {2U, 16U, 64U, 256U}) {
    const world w = lasting(workers);
    const kind before = flat(1e6, 0.5);
    const kind after = flat(1e6, workers);
    shipped_policy policy;
    for (int i = 0; i < 1'000; ++i) policy.run(w, {&before, 1, 0});
    int runs = 0;
    while (policy.last.began_alone || policy.last.by.explores || runs == 0) {
      policy.run(w, {&after, 1, 0});
      ASSERT_LT(++runs, 1'000) << workers;
    }
    std::cout << workers << " workers: after " << runs << " runs" << std::endl;
  }
}

// In phase with each rule that counts runs.
TEST(Regret, OfLengthsInTurnIsSmall) {
  const std::vector<std::vector<std::uint64_t>> orders{
      {40, 2}, {100, 300}, {4'096, 2'048, 1'024, 512, 256, 128, 64, 32}, {1, 2, 3, 4, 5, 6, 7, 8}};
  for (const auto& lengths : orders) {
    for (const double speedup : {0.5, 2.0}) {
      const world w = lasting(2);
      shipped_policy policy;
      double took_ns = 0;
      double best_ns = 0;
      for (int run = 0; run < 20'000; ++run) {
        const std::uint64_t n = lengths[static_cast<std::size_t>(run) % lengths.size()];
        const kind k = flat(1'000 * static_cast<double>(n), speedup, n);
        const double now_ns = policy.run(w, {&k, 1, 0});
        if (run < 1'000) continue;
        took_ns += now_ns;
        best_ns += w.best_ns({&k, 1, 0});
      }
      EXPECT_LE(took_ns, 1.03 * best_ns)
          << lengths.size() << " from " << lengths[0] << ", " << speedup;
    }
  }
}

// A wrapper: loops of one length that are trivial or dear, with so many dear ones in a hundred.
TEST(Regret, OfAWrapperIsAConstantARun) {
  for (const std::uint32_t workers : {2U, 64U}) {
    for (const std::uint64_t dear_ones : {1U, 20U, 50U, 80U}) {
      const world w = lasting(workers);
      const kind trivial = flat(500, workers, 64 * workers);
      const kind dear = flat(2e5 * 64 * workers, workers, 64 * workers);
      shipped_policy policy;
      base::rng random(dear_ones);
      double took_ns = 0;
      double best_ns = 0;
      for (int run = 0; run < 3'000; ++run) {
        const call now{random.below(100) < dear_ones ? &dear : &trivial, 1, 0};
        took_ns += policy.run(w, now);
        best_ns += w.best_ns(now);
      }
      EXPECT_LE(took_ns, 1.05 * best_ns) << workers << " workers, " << dear_ones << " %";
    }
  }
}

}  // namespace
}  // namespace doall::tests
