// What best-static learns from the times of its blocks.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/rng.hpp"
#include "schedule/measured_blocks.hpp"
#include "support/costed_loop.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::measured_blocks;

// A loop whose runs are timed by what its iterations cost.
class timed_loop {
 public:
  using cost_at = std::function<u64(double)>;  // of the place in the loop, from 0 to 1

  timed_loop(u64 iterations, std::uint32_t workers, cost_at cost,
             const char* schedule = "best-static")
      : shape_{iterations, workers}, cost_(std::move(cost)), schedule_(schedule), driver_(workers) {
    resize(iterations);
  }

  void resize(u64 iterations) {
    shape_.iterations = iterations;
    std::vector<u64> costs(iterations);
    for (u64 i = 0; i < iterations; ++i)
      costs[i] = cost_((static_cast<double>(i) + 0.5) / static_cast<double>(iterations));
    sums_ = sums_of(costs);
  }

  // Runs the loop once, and says the most expensive block over their mean. `slowed` takes a block's
  // worker and cost, and says its time.
  template <class Slowed>
  double run(Slowed slowed) {
    driver_.begin(spec_of(schedule_), shape_, &memory_);
    u64 most = 0;
    ledger dealt(shape_.iterations);
    blocks_.clear();
    for (std::uint32_t w = 0; w < shape_.workers; ++w) {
      const chunk block = driver_.ask(w);
      dealt.record(block);
      blocks_.push_back(block);
      if (block.empty()) continue;
      const u64 cost = sums_[block.end] - sums_[block.begin];
      most = std::max(most, cost);
      EXPECT_TRUE(driver_.ask(w, slowed(w, cost)).empty());
    }
    driver_.finish();
    dealt.expect_exactly_once();
    return static_cast<double>(most) * shape_.workers / static_cast<double>(sums_.back());
  }
  double run() {
    return run([](std::uint32_t, u64 cost) { return static_cast<double>(cost); });
  }
  double run_times(int times) {
    double last = 0;
    for (int i = 0; i < times; ++i) last = run();
    return last;
  }

  const std::vector<chunk>& blocks() const { return blocks_; }

 private:
  loop_shape shape_;
  cost_at cost_;
  const char* schedule_;
  std::vector<u64> sums_;
  std::vector<chunk> blocks_;
  loop_memory memory_;
  hand_driver driver_;
};

u64 rising(double at) { return static_cast<u64>(1e6 * at); }
u64 falling(double at) { return static_cast<u64>(1e3 / std::sqrt(at)); }
u64 steep(double at) { return static_cast<u64>(1e3 / std::pow(at, 0.8)); }
u64 narrow(double at) { return at > 0.45 && at < 0.62 ? 3000 : 100; }
u64 even(double) { return 100; }

constexpr std::uint32_t team_sizes[] = {2, 3, 4, 16};

TEST(MeasuredBlocks, AreTheEvenPartitionInTheFirstRun) {
  timed_loop loop(1000, 7, rising);
  loop.run();
  for (std::uint32_t w = 0; w < 7; ++w) {
    EXPECT_EQ(loop.blocks()[w].begin, schedules::partition_of(w, {1000, 7}).begin);
  }
}

TEST(MeasuredBlocks, BalanceATriangleInAFewRuns) {
  for (const std::uint32_t workers : team_sizes) {
    timed_loop loop(5000, workers, rising);
    EXPECT_GE(loop.run(), 1.49);
    EXPECT_LE(loop.run_times(2), 1.05) << workers << " workers";
    for (int i = 0; i < 30; ++i) EXPECT_LE(loop.run(), 1.05) << workers << " workers";
  }
}

TEST(MeasuredBlocks, BalanceAPowerLaw) {
  for (const std::uint32_t workers : team_sizes) {
    timed_loop loop(200'000, workers, falling);
    EXPECT_LE(loop.run_times(10), 1.05) << workers << " workers";
    timed_loop worse(200'000, workers, steep);
    EXPECT_LE(worse.run_times(30), 1.05) << workers << " workers";
  }
}

// A narrow stretch that is expensive, between two that are not.
TEST(MeasuredBlocks, EncloseAnExpensiveStretch) {
  for (const std::uint32_t workers : team_sizes) {
    timed_loop loop(20'000, workers, narrow);
    EXPECT_LE(loop.run_times(20), 1.1) << workers << " workers";
  }
}

TEST(MeasuredBlocks, StayWhereTheyAreBalanced) {
  timed_loop loop(1000, 4, even);
  loop.run();
  const std::vector<chunk> first = loop.blocks();
  base::rng random(7);
  for (int i = 0; i < 50; ++i) {
    loop.run([&](std::uint32_t, u64 cost) {
      return static_cast<double>(cost) * (1 + 0.01 * static_cast<double>(random.below(100)) / 100);
    });
    for (std::uint32_t w = 0; w < 4; ++w) EXPECT_EQ(loop.blocks()[w].begin, first[w].begin);
  }
}

// One of twenty blocks takes five times what it costs, for another program had its CPU.
// Whatever the times say, once they are balanced.
TEST(MeasuredBlocks, FrozenStayWhereTheyAre) {
  timed_loop loop(5000, 4, rising, "best-static,frozen");
  EXPECT_LE(loop.run_times(10), 1.05);
  const std::vector<chunk> balanced = loop.blocks();
  for (int i = 0; i < 50; ++i) {
    loop.run([](std::uint32_t w, u64 cost) { return static_cast<double>(cost) * (w + 1); });
    for (std::uint32_t w = 0; w < 4; ++w) EXPECT_EQ(loop.blocks()[w].begin, balanced[w].begin);
  }
}

TEST(MeasuredBlocks, AreTakenAlongAndStay) {
  constexpr schedules::loop_shape shape{1000, 3};
  const u64 begins[] = {u64{1} << 62, u64{1} << 63};
  struct alignas(measured_blocks) memory {
    std::byte bytes[sizeof(measured_blocks) + 3 * sizeof(measured_blocks::of_worker)];
  };
  for (const bool cuts : {true, false}) {
    const auto there = std::make_unique<memory>();
    auto& blocks = *reinterpret_cast<measured_blocks*>(there.get());
    u64 seen[2] = {};
    EXPECT_EQ(blocks.read(3, seen), schedules::block_cuts::unknown);
    blocks.keep(3, cuts ? begins : nullptr);
    for (int run = 0; run < 20; ++run) {
      EXPECT_EQ(blocks.block(1, shape).begin, cuts ? 250U : 334U);
      EXPECT_EQ(blocks.block(2, shape).begin, cuts ? 500U : 667U);
      for (std::uint32_t w = 0; w < 3; ++w) blocks.measure(w, w + 1);
      blocks.settle(shape);
    }
    EXPECT_EQ(blocks.read(3, seen),
              cuts ? schedules::block_cuts::uneven : schedules::block_cuts::even);
    if (cuts) {
      EXPECT_TRUE(std::ranges::equal(seen, begins));
    }
  }
}

TEST(MeasuredBlocks, AreNotSpoiledByLostTimeSlices) {
  timed_loop loop(5000, 2, rising);
  base::rng random(3);
  const auto sometimes_late = [&](std::uint32_t, u64 cost) {
    return static_cast<double>(cost) * (random.below(20) == 0 ? 5 : 1);
  };
  for (int i = 0; i < 20; ++i) loop.run(sometimes_late);
  double sum = 0;
  constexpr int runs = 400;
  for (int i = 0; i < runs; ++i) sum += loop.run(sometimes_late);
  EXPECT_LE(sum / runs, 1.05);
}

TEST(MeasuredBlocks, FollowALoopThatChangesItsLength) {
  timed_loop loop(5000, 4, rising);
  for (int i = 0; i < 4; ++i) {
    loop.resize(5000 - 100 * i);
    loop.run();
  }
  for (int i = 0; i < 40; ++i) {
    loop.resize(4600 - 100 * i);
    EXPECT_LE(loop.run(), 1.06);
  }
}

// Its window goes on, with times for as many iterations.
TEST(MeasuredBlocks, AreNotSpoiledByLostTimeSlicesInALoopThatShrinks) {
  timed_loop loop(5000, 2, rising);
  base::rng random(5);
  double sum = 0;
  constexpr int runs = 300;
  constexpr int to_learn = 20;
  for (int i = 0; i < runs; ++i) {
    loop.resize(5000 - 10 * i);
    const double imbalance = loop.run([&](std::uint32_t, u64 cost) {
      return static_cast<double>(cost) * (random.below(20) == 0 ? 5 : 1);
    });
    if (i >= to_learn) sum += imbalance;
  }
  EXPECT_LE(sum / (runs - to_learn), 1.06);
}

TEST(MeasuredBlocks, FollowAProgramThatChanges) {
  bool reversed = false;
  timed_loop loop(5000, 2, [&](double at) { return rising(reversed ? 1 - at : at); });
  loop.run_times(50);
  reversed = true;
  loop.resize(5000);
  EXPECT_GE(loop.run(), 1.3);
  EXPECT_LE(loop.run_times(20), 1.05);
}

// A run in which a worker did not measure says nothing.
TEST(MeasuredBlocks, IgnoreARunThatIsNotWhole) {
  const loop_shape shape{1000, 2};
  loop_memory memory;
  hand_driver driver(2);
  for (int run = 0; run < 3; ++run) {
    driver.begin(spec_of("best-static"), shape, &memory);
    EXPECT_EQ(driver.ask(0).end, 500U);
    EXPECT_EQ(driver.ask(1).begin, 500U);
    EXPECT_TRUE(driver.ask(1, 1e6).empty());
    driver.finish();
  }
}

TEST(MeasuredBlocks, CountTheTimeOfLoopsThatAreCutAlike) {
  const loop_shape shape{1000, 2};
  loop_memory memory;
  auto& blocks = *static_cast<measured_blocks*>(memory.of(spec_of("best-static"), shape));
  for (int loop = 0; loop < 3; ++loop) {
    blocks.measure(0, 100);
    blocks.measure(1, 300);
    EXPECT_EQ(blocks.block(0, shape).end, 500U);
  }
  blocks.settle(shape);
  EXPECT_EQ(blocks.block(0, shape).end, 667U);
}

// Iterations that wait for each other, one for each worker, would else have one worker.
TEST(MeasuredBlocks, LeaveEachWorkerAnIteration) {
  for_each_case(500, [&](base::rng& random) {
    const auto workers = static_cast<std::uint32_t>(2 + random.below(15));
    const loop_shape shape{workers + random.below(3 * workers), workers};
    loop_memory memory;
    auto& blocks = *static_cast<measured_blocks*>(memory.of(spec_of("best-static"), shape));
    for (int run = 0; run < 20; ++run) {
      for (std::uint32_t w = 0; w < workers; ++w) {
        const schedules::range mine = blocks.block(w, shape);
        ASSERT_LT(mine.begin, mine.end);
        if (shape.iterations == workers) {
          ASSERT_EQ(mine.begin, w);
        }
        blocks.measure(w, static_cast<double>(1 + (random.next() >> random.below(64))));
      }
      blocks.settle(shape);
    }
  });
}

// Loops of few iterations, and numbers that are at the end of their types.
TEST(MeasuredBlocks, AreExactWhateverTheTimesAre) {
  constexpr double odd[] = {0,
                            -1,
                            1e-300,
                            1e300,
                            std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::denorm_min(),
                            1};
  for_each_case(2000, [&](base::rng& random) {
    const auto workers = static_cast<std::uint32_t>(2 + random.below(9));
    const loop_shape largest{base::u64_max - random.below(3), workers};
    loop_memory memory;
    auto& blocks = *static_cast<measured_blocks*>(memory.of(spec_of("best-static"), largest));
    for (int run = 0; run < 20; ++run) {
      loop_shape shape = largest;
      if (random.below(2) == 0) shape.iterations = random.below(40);
      u64 at = 0;
      for (std::uint32_t w = 0; w < workers; ++w) {
        const schedules::range mine = blocks.block(w, shape);
        ASSERT_EQ(mine.begin, at);
        ASSERT_LE(mine.begin, mine.end);
        at = mine.end;
        const bool is_odd = random.below(8) == 0;
        if (mine.size() != 0)
          blocks.measure(w, is_odd ? odd[random.below(std::size(odd))]
                                   : static_cast<double>(random.next() >> random.below(64)));
      }
      ASSERT_EQ(at, shape.iterations);
      blocks.settle(shape);
    }
  });
}

}  // namespace
}  // namespace doall::tests
