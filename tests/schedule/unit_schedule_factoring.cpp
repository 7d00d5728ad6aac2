// factoring: phases of P chunks, max(1, floor(R / 2P)) each.

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/factoring.hpp"
#include "support/central.hpp"
#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

using schedules::factoring_phase;

TEST(Factoring, DealsHalfOfWhatIsLeftInEqualChunks) {
  EXPECT_EQ(sizes_alone("factoring", 100, 4),
            (std::vector<u64>{12, 12, 12, 12, 6, 6, 6, 6, 3, 3, 3, 3,
                              2,  2,  2,  2,  1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(sizes_alone("factoring", 100, 1), (std::vector<u64>{50, 25, 12, 6, 3, 2, 1, 1}));
}

// The schedule computes a chunk from its ticket; AFS's words are a loop.
TEST(Factoring, AgreesWithThePapersWords) {
  expect_sizes("factoring", [](u64 iterations, std::uint32_t workers) {
    u64 size = 0;
    return sizes_one_by_one(iterations, [&](u64 left, std::size_t chunks) {
      if (chunks % workers == 0) size = std::max<u64>(1, left / (2 * workers));
      return size;
    });
  });
}

TEST(Factoring, DealsOneByOneWhenIterationsAreFew) {
  EXPECT_EQ(sizes_alone("factoring", 5, 4), (std::vector<u64>{1, 1, 1, 1, 1}));
  EXPECT_EQ(sizes_alone("factoring", 3, 4), (std::vector<u64>{1, 1, 1}));
}

TEST(Factoring, CutsTheLargestLoop) {
  const std::vector<u64> sizes = sizes_alone("factoring", base::u64_max, 2);
  EXPECT_EQ(sizes[0], (u64{1} << 62) - 1);
  EXPECT_EQ(sizes[1], sizes[0]);
  EXPECT_EQ(sizes[2], (u64{1} << 61));
  EXPECT_EQ(sizes.back(), 1U);
}

// Ever more than 64 phases, never more than the bound: see factoring_phase.
TEST(FactoringPhase, NumberIsBounded) {
  unsigned most = 0;
  for (std::uint32_t workers = 1; workers <= 1024; ++workers) {
    for (u64 iterations : {base::u64_max, base::u64_max - 1, u64{1} << 63, (u64{1} << 63) + 1}) {
      unsigned phases = 0;
      for (factoring_phase p({iterations, workers}); p.exists(); p.to_next()) ++phases;
      most = std::max(most, phases);
    }
  }
  EXPECT_LE(most, factoring_phase::phases_most);
  EXPECT_GT(most, 60U) << "the bound is idle";
}

TEST(FactoringPhase, OnlyTheLastHasFewerThanPChunks) {
  for (std::uint32_t workers : {1, 2, 3, 7, 64, 1000}) {
    for (u64 iterations = 1; iterations < 5000; iterations += 7) {
      for (factoring_phase p({iterations, workers}); p.exists();) {
        const u64 chunks = p.chunks();
        p.to_next();
        if (p.exists()) {
          ASSERT_EQ(chunks, workers) << iterations << " over " << workers;
        }
      }
    }
  }
}

TEST(Factoring, DealsInOrderToWhoeverAsksNext) { expect_dealt_in_order("factoring"); }

}  // namespace
}  // namespace doall::tests
