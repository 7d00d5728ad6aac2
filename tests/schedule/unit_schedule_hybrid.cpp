// hybrid: the claiming heuristic on the paper's examples (hybrid, sections III and IV), and what a
// worker does when its frame has ended.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "schedule/claims.hpp"
#include "schedule/hybrid.hpp"
#include "support/costed_loop.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"

namespace doall::tests {
namespace {

using schedules::claim;
using schedules::claim_frame;
using schedules::next_claim;
using schedules::origin;
using schedules::partition_of;

// Flags for up to 64 partitions in one place.
class flag_set {
 public:
  bool claim(std::uint32_t partition) const {
    const bool was_free = (set_ >> partition & 1) == 0;
    set_ |= u64{1} << partition;
    return was_free;
  }

 private:
  mutable u64 set_ = 0;
};

constexpr std::uint32_t nobody = ~std::uint32_t{0};

// The partition that a frame claims next; nobody's: it has ended.
std::uint32_t claimed_by(claim_frame& at, std::uint32_t parts, const flag_set& flags) {
  const claim next = next_claim(at, parts, flags);
  return next.done ? next.partition : nobody;
}

std::vector<std::uint32_t> all_claims(std::uint32_t w, std::uint32_t parts, const flag_set& flags) {
  claim_frame at{.i = 0, .w = w};
  std::vector<std::uint32_t> partitions;
  for (claim c = next_claim(at, parts, flags); c.done; c = next_claim(at, parts, flags)) {
    partitions.push_back(c.partition);
  }
  return partitions;
}

// The level-2 partition groups of worker 5 are {5, 4, 7, 6} and {1, 0, 3, 2}.
TEST(Claims, GoInTheOrderOfTheWorkersNumber) {
  EXPECT_EQ(all_claims(0, 8, {}), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(all_claims(5, 8, {}), (std::vector<std::uint32_t>{5, 4, 7, 6, 1, 0, 3, 2}));
  EXPECT_EQ(all_claims(0, 1, {}), (std::vector<std::uint32_t>{0}));
}

// "If worker 2 steals the frame from worker 0 before worker 0 claims partition 1, then worker 2
// starts executing partition 2 before worker 0 spawns execution of partition 1."
TEST(Claims, WorkerTwoComesBeforeWorkerZeroHasClaimedPartitionOne) {
  const flag_set flags;
  claim_frame zero{.i = 0, .w = 0};
  claim_frame two{.i = 0, .w = 2};
  EXPECT_EQ(claimed_by(zero, 4, flags), 0U);
  EXPECT_EQ(claimed_by(two, 4, flags), 2U);
  EXPECT_EQ(claimed_by(zero, 4, flags), 1U);
  EXPECT_EQ(claimed_by(zero, 4, flags), nobody);  // 2 is gone, and 3 left to who has it
  EXPECT_EQ(claimed_by(two, 4, flags), 3U);
  EXPECT_EQ(claimed_by(two, 4, flags), nobody);
}

TEST(Claims, AFailedFirstClaimEndsTheFrame) {
  const flag_set flags;
  flags.claim(3);
  claim_frame at{.i = 0, .w = 3};
  const claim first = next_claim(at, 8, flags);
  EXPECT_FALSE(first.done);
  EXPECT_EQ(first.failed, 1U);
  EXPECT_TRUE(at.ended(8));
  EXPECT_EQ(next_claim(at, 8, flags).failed, 0U) << "an ended frame claims nothing";
}

// Each failed claim leaves out twice as much as the one before it.
TEST(Claims, AFailedClaimLeavesOutItsGroup) {
  const flag_set flags;
  for (const std::uint32_t taken : {1, 2, 4, 8}) flags.claim(taken);
  claim_frame at{.i = 0, .w = 0};
  EXPECT_EQ(claimed_by(at, 16, flags), 0U);
  const claim none = next_claim(at, 16, flags);
  EXPECT_FALSE(none.done);
  EXPECT_EQ(none.failed, 4U) << "lg R: Lemma 4";

  const flag_set others;
  for (const std::uint32_t taken : {6, 8}) others.claim(taken);
  claim_frame five{.i = 5, .w = 0};
  EXPECT_EQ(claimed_by(five, 16, others), 5U);
  EXPECT_EQ(claimed_by(five, 16, others), nobody);  // 6 and 7, then all from 8 on
}

// Why the failed claims of a frame are not lg R: two workers in step.
TEST(Claims, TwoWorkersInStepFailAtEveryOtherPartition) {
  constexpr std::uint32_t parts = 64;
  const flag_set flags;
  std::array<claim_frame, 2> frames{{{.i = 0, .w = 0}, {.i = 0, .w = 1}}};
  std::uint32_t failed = 0;
  std::uint32_t done = 0;
  while (!frames[0].ended(parts)) {
    for (claim_frame& at : frames) {
      const claim next = next_claim(at, parts, flags);
      failed += next.failed;
      done += next.done ? 1 : 0;
    }
  }
  EXPECT_EQ(done, parts);
  EXPECT_EQ(failed, 2 * (parts / 2));
}

struct words_here {
  sync::atomic<u64>* first;
  sync::atomic<u64>& operator()(std::uint32_t k) const { return first[k]; }
};

TEST(Claims, FlagsOfAnEarlierLoopDoNotCount) {
  std::array<sync::atomic<u64>, 3> words{};
  for (const u64 epoch : {1, 2, 7}) {
    const schedules::tagged_flags flags(words_here{words.data()}, 3, epoch);
    for (std::uint32_t part = 0; part < 3 * flags.per_word; ++part) {
      EXPECT_FALSE(flags.is_claimed(part));
      EXPECT_TRUE(flags.claim(part)) << part;
      EXPECT_TRUE(flags.is_claimed(part));
      EXPECT_FALSE(flags.claim(part)) << part;
    }
  }
}

// With as many partitions as workers, whoever is on time runs static's partition.
TEST(Hybrid, BeginsWithStaticsShare) {
  const loop_shape shape{1003, 8};
  hand_driver driver(8);
  driver.begin(spec_of("hybrid,1000"), shape);
  for (std::uint32_t w = 0; w < 8; ++w) {
    expect_chunk(driver.ask(w), partition_of(w, shape).begin, partition_of(w, shape).end);
  }
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_TRUE(driver.ask(w).empty());
}

TEST(Hybrid, CutsAPartitionIntoChunksOfMinOf2048AndN8P) {
  EXPECT_EQ(sizes_alone("hybrid", 6400, 4), std::vector<u64>(32, 200));
  EXPECT_EQ(sizes_alone("hybrid", u64{1} << 18, 2), std::vector<u64>(128, 2048));
  EXPECT_EQ(sizes_alone("hybrid", 15, 2), std::vector<u64>(15, 1));
  EXPECT_EQ(sizes_alone("hybrid,20", 100, 4), (std::vector<u64>{13, 12, 13, 12, 13, 12, 13, 12}));
}

// Workers 0 to 4 and 6, 7 never come.
TEST(Hybrid, RunsTheOthersPartitionsInItsOwnOrder) {
  hand_driver driver(8);
  driver.begin(spec_of("hybrid,10"), {80, 8});
  expect_chunk(driver.ask(5), 50, 60);
  for (const u64 part : {4, 7, 6, 1, 0, 3, 2}) {
    const chunk c = driver.ask(5);
    expect_chunk(c, 10 * part, 10 * part + 10, origin::stolen);
    EXPECT_EQ(c.victim, part);
  }
  EXPECT_TRUE(driver.ask(5).empty());
}

// P is not a power of two: what has no worker of its own is claimed all the same.
TEST(Hybrid, RunsThePartitionsThatAreNobodys) {
  hand_driver driver(3);
  driver.begin(spec_of("hybrid,10"), {40, 3});
  for (const std::uint32_t w : {0, 1, 2}) expect_chunk(driver.ask(w), 10 * w, 10 * w + 10);
  expect_chunk(driver.ask(2), 30, 40, origin::stolen);  // its flag lies in worker 0's line
  for (const std::uint32_t w : {0, 1, 2}) EXPECT_TRUE(driver.ask(w).empty());
}

// Worker 1 stops after its first iteration, 20; the thief runs dry again and again.
TEST(Hybrid, StealsHalfOfWhatIsLeftDownToTheLastChunk) {
  hand_driver driver(2);
  driver.begin(spec_of("hybrid,1"), {40, 2});
  driver.ask(1);
  for (u64 i = 0; i < 20; ++i) driver.ask(0);
  u64 left = 19;  // from 21 on
  for (const u64 half : {10, 5, 2, 1, 1}) {
    left -= half;
    const chunk first = driver.ask(0);
    expect_chunk(first, 21 + left, 22 + left, origin::stolen);
    EXPECT_EQ(first.victim, 1U);
    for (u64 i = 1; i < half; ++i) expect_chunk(driver.ask(0), 21 + left + i, 22 + left + i);
  }
  EXPECT_TRUE(driver.ask(0).empty());
  EXPECT_TRUE(driver.ask(1).empty());
}

// Worker 1 comes when worker 0 has its partition: it goes on where nobody is, as worker 2 would
// have, rather than leave with half of the loop unclaimed.
TEST(Hybrid, NobodyLeavesWhileAPartitionIsUnclaimed) {
  hand_driver driver(4);
  driver.begin(spec_of("hybrid,10"), {40, 4});
  expect_chunk(driver.ask(0), 0, 10);
  expect_chunk(driver.ask(0), 10, 20, origin::stolen);
  expect_chunk(driver.ask(1), 20, 30, origin::stolen);
  expect_chunk(driver.ask(1), 30, 40, origin::stolen);
  EXPECT_TRUE(driver.ask(1).empty());
  EXPECT_TRUE(driver.ask(0).empty());
}

// Fewer partitions than workers: worker 3 comes for worker 1's, and worker 2 late for worker 0's.
TEST(Hybrid, WorkersBeyondThePartitionsSteal) {
  hand_driver driver(4);
  driver.begin(spec_of("hybrid,5,parts=2"), {40, 4});
  expect_chunk(driver.ask(0), 0, 5);
  expect_chunk(driver.ask(3), 20, 25, origin::stolen);
  const chunk stolen = driver.ask(2);  // from worker 3: [30, 40) of [25, 40)
  expect_chunk(stolen, 30, 35, origin::stolen);
  EXPECT_EQ(stolen.victim, 3U);
}

TEST(Hybrid, SkipsEmptyPartitions) {
  for (u64 iterations = 0; iterations <= 40; ++iterations) {
    hand_driver driver(32);
    ledger dealt(iterations);
    driver.begin(spec_of("hybrid"), {iterations, 32});
    for (std::uint32_t w = 0; w < 32; ++w) {
      for (const chunk& c : all_of(driver, 31 - w)) dealt.record(c);
    }
    dealt.expect_exactly_once();
  }
}

std::uint32_t parts_of(u64 given, std::uint32_t workers) {
  schedules::loop_context loop{.shape = {1000, workers}};
  loop.given = schedules::params::of(schedules::hybrid::options{.parts = given});
  return schedules::hybrid(loop).parts();
}

TEST(Hybrid, HasAPowerOfTwoOfPartitions) {
  EXPECT_EQ(parts_of(0, 1), 1U);
  EXPECT_EQ(parts_of(0, 6), 8U);
  EXPECT_EQ(parts_of(0, 1024), 1024U);
  EXPECT_EQ(parts_of(5, 16), 8U);
  EXPECT_EQ(parts_of(100, 16), 128U);
  EXPECT_EQ(parts_of(base::u64_max, 16), 128U) << "eight flags a line";
  EXPECT_EQ(parts_of(base::u64_max, 3), 16U) << "a power of two of up to eight flags a line";
  EXPECT_EQ(parts_of(base::u64_max, 1024), 8192U);
}

TEST(Hybrid, CountsFailedClaims) {
  const auto lines = std::make_unique<schedules::worker_line[]>(2);
  schedules::loop_context loop{.shape = {4, 2}, .lines = lines.get()};
  loop.given = schedules::params::of_first(2);
  schedules::hybrid schedule(loop);
  EXPECT_EQ(schedule.failed_claims(0), 0U) << "a line that is not up to date";
  schedule.next({0, 0}, {});
  schedule.next({1, 0}, {});
  EXPECT_EQ(schedule.failed_claims(0), 0U);
  EXPECT_TRUE(schedule.next({0, 1}, {}).empty());
  EXPECT_EQ(schedule.failed_claims(0), 1U);
  EXPECT_EQ(schedule.failed_claims(1), 0U);
}

// With costs: iterations 0 to 9 cost 91 each, the other 90 one each.
TEST(Hybrid, CutsPartitionsAndChunksAtEqualCost) {
  std::vector<u64> costs(100, 1);
  for (u64 i = 0; i < 10; ++i) costs[i] = 91;
  costed_loop two("hybrid,50,costs,parts=2", 2, costs);
  expect_chunk(two.driver.ask(0), 0, 6);  // 500 of 1000
  expect_chunk(two.driver.ask(1), 6, 100);
  costed_loop four("hybrid,25,parts=2,costs=yes", 2, costs);
  expect_chunk(four.driver.ask(0), 0, 3);  // 250: three iterations are more
  expect_chunk(four.driver.ask(0), 3, 6);
  expect_chunk(four.driver.ask(1), 6, 9);
  expect_chunk(four.driver.ask(1), 9, 100);
  costed_loop unasked("hybrid,50,parts=2", 2, costs);
  expect_chunk(unasked.driver.ask(0), 0, 50);
  costed_loop for_nothing("hybrid,50,parts=2,costs", 2, std::vector<u64>(100, 0));
  expect_chunk(for_nothing.driver.ask(0), 0, 50);
}

TEST(Hybrid, GoesByCostsOnlyWhenItIsTold) {
  EXPECT_FALSE(spec_of("hybrid").has(schedules::uses_costs));
  EXPECT_FALSE(spec_of("hybrid,costs=no").has(schedules::uses_costs));
  EXPECT_TRUE(spec_of("hybrid,costs").has(schedules::uses_costs));
  EXPECT_EQ(schedules::to_text(spec_of("hybrid,3,Costs,parts=4")), "hybrid,3,parts=4,costs");
  EXPECT_EQ(schedules::to_text(spec_of("hybrid,costs=no")), "hybrid");
  EXPECT_FALSE(schedules::parse("hybrid,costs,costs"));
  EXPECT_FALSE(schedules::parse("hybrid,costs,3"));
  EXPECT_FALSE(schedules::parse("hybrid,parts"));
}

TEST(Hybrid, DealsLargerChunksOfAHugeLoop) {
  constexpr u64 tickets_most = 0xffff'fffd;
  hand_driver driver(2);
  driver.begin(spec_of("hybrid,1"), {base::u64_max, 2});
  const u64 per_part = tickets_most / 2;
  EXPECT_EQ(size_of(driver.ask(1)), base::u64_max / (2 * per_part));
  driver.begin(spec_of("hybrid"), {u64{1} << 40, 2});
  EXPECT_EQ(size_of(driver.ask(1)), 2048U);
}

}  // namespace
}  // namespace doall::tests
