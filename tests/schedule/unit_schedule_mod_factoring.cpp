// mod-factoring: in each phase the chunk with one's own number, else the first
// that is not gone.

#include <gtest/gtest.h>

#include "support/hand_driver.hpp"
#include "support/ledger.hpp"

namespace doall::tests {
namespace {

// 100 iterations over 4 workers: phases of 4 chunks of 12, 6, 3, 2, 1 and 1, which
// begin at 0, 48, 72, 84, 92 and 96.
const loop_shape shape{100, 4};

void expect_range(const chunk& c, u64 begin, u64 end) {
  EXPECT_EQ(c.begin, begin);
  EXPECT_EQ(c.end, end);
}

TEST(ModFactoring, TakesItsOwnChunkOfEachPhase) {
  hand_driver driver(4);
  driver.begin(spec_of("mod-factoring"), shape);
  u64 phase = 0;
  for (u64 size : {12, 6, 3, 2, 1, 1}) {
    for (std::uint32_t w : {2, 0, 3, 1}) {
      const chunk c = driver.ask(w);
      expect_range(c, phase + w * size, phase + (w + 1) * size);
      EXPECT_EQ(c.from, schedules::origin::central);
    }
    phase += 4 * size;
  }
  for (std::uint32_t w = 0; w < 4; ++w) EXPECT_TRUE(driver.ask(w).empty());
}

TEST(ModFactoring, TakesTheFirstThatIsLeftWhenItsOwnIsGone) {
  hand_driver driver(4);
  driver.begin(spec_of("mod-factoring"), shape);
  expect_range(driver.ask(2), 24, 36);  // its own
  expect_range(driver.ask(2), 0, 12);   // worker 0's
  expect_range(driver.ask(0), 12, 24);  // its own is gone: worker 1's
  expect_range(driver.ask(1), 36, 48);  // worker 3's; the phase is over
  expect_range(driver.ask(3), 66, 72);  // its own of the next phase
  expect_range(driver.ask(1), 54, 60);
}

TEST(ModFactoring, DealsAllToOneWorkerIfNobodyElseComes) {
  hand_driver driver(4);
  ledger dealt(shape.iterations);
  driver.begin(spec_of("mod-factoring"), shape);
  expect_range(driver.ask(3), 36, 48);
  dealt.record({36, 48});
  for (const chunk& c : all_of(driver, 3)) dealt.record(c);
  dealt.expect_exactly_once();
}

// The last phase of 10 iterations over 4 workers has 2 chunks.
TEST(ModFactoring, SharesALastPhaseWithFewerChunks) {
  hand_driver driver(4);
  driver.begin(spec_of("mod-factoring"), {10, 4});
  for (int phase = 0; phase < 2; ++phase) {
    for (std::uint32_t w = 0; w < 4; ++w)
      expect_range(driver.ask(w), phase * 4 + w, phase * 4 + w + 1);
  }
  expect_range(driver.ask(3), 8, 9);
  EXPECT_EQ(driver.ask(0).begin, 9U);
  for (std::uint32_t w = 0; w < 4; ++w) EXPECT_TRUE(driver.ask(w).empty());
}

// What another loop left in the lines counts as nothing, wherever it stopped.
TEST(ModFactoring, BeginsTheNextLoopWithAllChunks) {
  hand_driver driver(4);
  for (int calls = 0; calls < 24; ++calls) {
    driver.begin(spec_of("mod-factoring"), shape);
    expect_range(driver.ask(1), 12, 24);
    for (int i = 0; i < calls - 1; ++i) driver.ask(static_cast<std::uint32_t>(i % 4));
  }
}

// The largest loop and the most workers: counts of phases fit beside the epoch.
TEST(ModFactoring, EndsTheLargestLoop) {
  for (std::uint32_t workers : {1U, 2U, 1024U}) {
    hand_driver driver(workers);
    driver.begin(spec_of("mod-factoring"), {base::u64_max, workers});
    u64 iterations = 0;
    for (const chunk& c : all_of(driver, workers - 1)) iterations += c.size();
    EXPECT_EQ(iterations, base::u64_max);
  }
}

}  // namespace
}  // namespace doall::tests
