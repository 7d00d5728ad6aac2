// Dealers: every schedule that deals chunks, asked from outside (doall/abi.h).
#include <doall/abi.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schedule/registry.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

doall_schedule parsed(const std::string& text) {
  doall_schedule how{};
  char why[256] = "";
  EXPECT_EQ(doall_schedule_parse(text.c_str(), &how, why, sizeof why), 0) << why;
  return how;
}

// Asks in a random order until nobody gets more, and counts each iteration.
std::vector<int> deal_all(doall_dealer* dealer, u64 iterations, std::uint32_t workers,
                          base::rng& random) {
  std::vector<int> dealt(iterations);
  std::vector<std::uint32_t> asking(workers);
  for (std::uint32_t w = 0; w < workers; ++w) asking[w] = w;
  std::vector<u64> ran(workers);
  while (!asking.empty()) {
    const u64 at = random.below(asking.size());
    const std::uint32_t w = asking[at];
    doall_chunk c{};
    if (doall_dealer_next(dealer, w, ran[w], ran[w] * 100, &c) == 0) {
      EXPECT_EQ(doall_dealer_next(dealer, w, 0, 0, &c), 0) << "asked once more";
      asking.erase(asking.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    ran[w] = 0;
    for (u64 i = c.begin; i < c.end; i += c.step, ++ran[w]) ++dealt[i];
  }
  return dealt;
}

TEST(Dealer, DealsEachIterationOnceUnderEverySchedule) {
  for_each_case(20, [](base::rng& random) {
    for (const schedules::entry& e : schedules::registry()) {
      const std::uint32_t workers = 1 + static_cast<std::uint32_t>(random.below(6));
      const u64 iterations = random.below(500);
      const std::string text = std::string(e.name) + (random.below(4) == 0 ? ",order=reverse" : "");
      const doall_schedule how = parsed(text);
      std::vector<u64> sums(iterations + 1);
      for (u64 i = 0; i < iterations; ++i) sums[i + 1] = sums[i] + random.below(9);
      doall_costs costs{};
      costs.size = sizeof costs;
      costs.kind = DOALL_COSTS_SUMS;
      costs.iterations = iterations;
      costs.data = sums.data();
      char why[512] = "";
      doall_dealer* const dealer = doall_dealer_begin(
          &how, iterations, workers, random.below(2) == 0 ? &costs : nullptr, why, sizeof why);
      if (e.has(schedules::splitting)) {
        EXPECT_EQ(dealer, nullptr) << text;
        EXPECT_NE(std::string(why).find("splits the ranges"), std::string::npos) << why;
        continue;
      }
      ASSERT_NE(dealer, nullptr) << text << ": " << why;
      EXPECT_EQ(deal_all(dealer, iterations, workers, random), std::vector<int>(iterations, 1))
          << text;
      for (int loop = 0; loop < 3; ++loop) {
        const u64 other = random.below(300);
        costs.iterations = std::min(other, iterations);
        const bool costed = other <= iterations && random.below(2) == 0;
        doall_dealer_again(dealer, other, costed ? &costs : nullptr);
        EXPECT_EQ(deal_all(dealer, other, workers, random), std::vector<int>(other, 1)) << text;
      }
      doall_dealer_end(dealer);
    }
  });
}

TEST(Dealer, IsNotForTheDefault) {
  char why[256] = "";
  EXPECT_EQ(doall_dealer_begin(nullptr, 10, 2, nullptr, why, sizeof why), nullptr);
  EXPECT_STREQ(why, "the default schedule has no dealer, expected one that is named");
  doall_dealer_end(nullptr);
}

TEST(Dealer, SchedulesAsText) {
  char text[64];
  const doall_schedule how = parsed(" Guided , 4,k=2");
  doall_schedule_text(&how, text, sizeof text);
  EXPECT_STREQ(text, "guided,4,k=2");
  doall_schedule_text(nullptr, text, sizeof text);
  EXPECT_STREQ(text, "");
}

TEST(Dealer, HowSchedulesDeal) {
  const auto deals = [](const std::string& text) {
    const doall_schedule how = parsed(text.c_str());
    return doall_schedule_deals(&how);
  };
  for (const schedules::entry& e : schedules::registry()) {
    const std::string name(e.name);
    const std::string reversed = name + ",order=reverse";
    EXPECT_EQ((deals(name) & DOALL_DEALS_ONE_BLOCK) != 0, deals_one_block(e, {})) << name;
    EXPECT_EQ(deals(reversed) & DOALL_DEALS_ONE_BLOCK, 0) << reversed;
    EXPECT_EQ((deals(name) & DOALL_DEALS_BY_TIMES) != 0, e.has(schedules::adapts)) << name;
    EXPECT_EQ((deals(name) & DOALL_DEALS_BY_WORKER) != 0, deals_by_worker(e)) << name;
    EXPECT_EQ((deals(reversed) & DOALL_DEALS_BY_WORKER) != 0, deals_by_worker(e)) << name;
  }
  EXPECT_EQ(deals("static,4"), DOALL_DEALS_BY_WORKER);
  EXPECT_EQ(doall_schedule_deals(nullptr), 0);
}

// What DOALL_DEALS_BY_WORKER says: each worker gets the same, whoever asks when.
TEST(Dealer, DealsByWorkerWhoeverAsks) {
  constexpr u64 iterations = 100;
  constexpr std::uint32_t workers = 4;
  for (const schedules::entry& e : schedules::registry()) {
    const doall_schedule how = parsed(std::string(e.name).c_str());
    if ((doall_schedule_deals(&how) & DOALL_DEALS_BY_WORKER) == 0) continue;
    std::vector<std::vector<std::uint32_t>> owners;
    for (const bool one_after_the_other : {true, false}) {
      std::vector<std::uint32_t> owner(iterations, workers);
      doall_dealer* const dealer =
          doall_dealer_begin(&how, iterations, workers, nullptr, nullptr, 0);
      ASSERT_NE(dealer, nullptr) << e.name;
      const auto turn = [&](std::uint32_t w) {
        doall_chunk c;
        if (doall_dealer_next(dealer, w, 0, 0, &c) == 0) return false;
        for (u64 i = c.begin; i < c.end; i += c.step) owner[i] = w;
        return true;
      };
      if (one_after_the_other) {
        for (std::uint32_t w = workers; w-- > 0;) {
          while (turn(w)) continue;
        }
      } else {
        for (bool any = true; any;) {
          any = false;
          for (std::uint32_t w = 0; w < workers; ++w) any = turn(w) || any;
        }
      }
      doall_dealer_end(dealer);
      owners.push_back(owner);
    }
    EXPECT_EQ(owners[0], owners[1]) << e.name;
  }
}

}  // namespace
}  // namespace doall::tests
