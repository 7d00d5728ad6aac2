// What every schedule of the registry promises (schedule/schedule.hpp), on random
// loops, parameters and interleavings. The workers are driven by hand, one call
// of next() at a time, so a case is a function of its seed (support/seeds.hpp).

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/any_loop.hpp"
#include "support/hand_driver.hpp"
#include "support/interleaving.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::entry;
using schedules::origin;
using schedules::site_memory;
using schedules::spec;

constexpr u64 usual_cases = 2000;

// What can be said of a worker's chunks one by one.
class chunk_rules {
 public:
  chunk_rules(const entry& which, loop_shape shape)
      : monotonic_(which.has(schedules::monotonic)), shape_(shape), past_(shape.workers) {}

  void check(std::uint32_t w, const chunk& c) {
    ASSERT_LE(c.end, shape_.iterations);
    ASSERT_GE(c.step, 1U);
    if (c.from == origin::stolen) {
      ASSERT_LT(c.victim, shape_.workers);
      ASSERT_NE(c.victim, w) << "a worker that steals from itself";
    }
    if (monotonic_) {
      ASSERT_GE(c.begin, past_[w]) << "worker " << w << " went back";
      past_[w] = c.end;
    }
  }

 private:
  bool monotonic_;
  loop_shape shape_;
  std::vector<u64> past_;  // per worker: the end of its last chunk
};

// Drives a loop until all comers were told that nothing is left, or for
// `calls_most` calls, and hands each chunk to use(worker, chunk). Returns whether
// all were told.
template <class Use>
bool drive(hand_driver& driver, base::rng& random, const spec& what, loop_shape shape,
           std::uint32_t comers, u64 calls_most, Use use) {
  const site_memory memory{random.below(3), static_cast<double>(random.below(1000))};
  driver.begin(what, shape, random.below(2) == 0 ? nullptr : &memory);
  chunk_rules rules(*what.which, shape);
  interleaving order(random, shape.workers, comers);
  for (u64 calls = 0; calls < calls_most; ++calls) {
    const std::uint32_t w = order.next();
    if (w == interleaving::nobody) return true;
    const chunk c = driver.ask(w, static_cast<double>(random.below(100000)));
    if (c.empty()) {
      order.leave();
      continue;
    }
    rules.check(w, c);
    if (testing::Test::HasFatalFailure()) return false;
    use(w, c);
  }
  return order.next() == interleaving::nobody;
}

// Each call either deals an iteration or is a worker's last.
u64 calls_enough(loop_shape shape) { return shape.iterations + shape.workers; }

loop_shape any_shape(base::rng& random) {
  const std::uint32_t workers = any_workers(random);
  return {any_iterations(random, workers), workers};
}

class EverySchedule : public testing::TestWithParam<entry> {};

TEST_P(EverySchedule, DealsEachIterationOnceWhenAllCome) {
  for_each_case(usual_cases, [&](base::rng& random) {
    const loop_shape shape = any_shape(random);
    const spec what = any_spec(random, GetParam(), shape);
    SCOPED_TRACE(describe(what, shape));
    hand_driver driver(shape.workers);
    ledger dealt(shape.iterations);
    EXPECT_TRUE(drive(driver, random, what, shape, shape.workers, calls_enough(shape),
                      [&](std::uint32_t, const chunk& c) { dealt.record(c); }));
    dealt.expect_exactly_once();
    driver.expect_bounds_kept();
  });
}

// What a worker that never comes leaves behind differs; that nothing is dealt
// twice and that the others are told that nothing is left does not.
TEST_P(EverySchedule, DealsNothingTwiceWhenSomeNeverCome) {
  for_each_case(usual_cases / 2, [&](base::rng& random) {
    const loop_shape shape = any_shape(random);
    const spec what = any_spec(random, GetParam(), shape);
    SCOPED_TRACE(describe(what, shape));
    hand_driver driver(shape.workers);
    ledger dealt(shape.iterations);
    const auto comers = static_cast<std::uint32_t>(1 + random.below(shape.workers));
    EXPECT_TRUE(drive(driver, random, what, shape, comers, calls_enough(shape),
                      [&](std::uint32_t, const chunk& c) { dealt.record(c); }));
    dealt.expect_at_most_once();
    driver.expect_bounds_kept();
  });
}

// Too many iterations to count, so chunks are compared as intervals, and a loop
// that would take too many calls is left half-way.
TEST_P(EverySchedule, IsExactOnHugeLoops) {
  constexpr u64 calls_most = 4000;
  for_each_case(usual_cases / 2, [&](base::rng& random) {
    const std::uint32_t workers = any_workers(random);
    const loop_shape shape{huge_iterations(random), workers};
    const spec what = any_spec(random, GetParam(), shape);
    SCOPED_TRACE(describe(what, shape));
    hand_driver driver(workers);
    std::vector<chunk> dealt;
    const bool finished = drive(driver, random, what, shape, workers, calls_most,
                                [&](std::uint32_t, const chunk& c) { dealt.push_back(c); });
    std::ranges::sort(dealt, {}, &chunk::begin);
    u64 past = 0;
    for (const chunk& c : dealt) {
      ASSERT_EQ(c.step, 1U) << "this test compares intervals";
      if (finished) {
        ASSERT_EQ(c.begin, past) << "a hole";
      }
      ASSERT_GE(c.begin, past) << "an overlap";
      past = c.end;
    }
    if (finished) {
      ASSERT_EQ(past, shape.iterations) << "the end is missing";
    }
  });
}

// Stale state of one loop must not leak into the next, whatever the schedules,
// the worker counts, and whether the loop before was run to its end.
TEST(Storage, IsReusedByLoopsOfAllKinds) {
  for_each_case(usual_cases / 20, [&](base::rng& random) {
    hand_driver driver(most_workers);
    for (int loop = 0; loop < 50; ++loop) {
      const loop_shape shape = any_shape(random);
      const spec what = any_spec(random, any_entry(random), shape);
      SCOPED_TRACE("loop " + std::to_string(loop) + ": " + describe(what, shape));
      ledger dealt(shape.iterations);
      const bool abandon = random.below(3) == 0;
      const u64 calls_most = abandon ? random.below(100) : calls_enough(shape);
      const bool finished = drive(driver, random, what, shape, shape.workers, calls_most,
                                  [&](std::uint32_t, const chunk& c) { dealt.record(c); });
      EXPECT_TRUE(finished || abandon);
      dealt.expect_each(finished ? 1 : 0, 1);
      driver.expect_bounds_kept();
      if (testing::Test::HasFailure()) return;
    }
  });
}

// Who runs each iteration of a loop whose workers ask in rounds, each once a
// round, in another order each round: as if all ran at the same speed.
std::vector<std::uint32_t> homes(base::rng& random, const spec& what, loop_shape shape) {
  std::vector<std::uint32_t> home(shape.iterations, shape.workers);
  hand_driver driver(shape.workers);
  driver.begin(what, shape);
  std::vector<std::uint32_t> present(shape.workers);
  for (std::uint32_t w = 0; w < shape.workers; ++w) present[w] = w;
  while (!present.empty()) {
    for (std::size_t i = present.size(); i > 1; --i) {
      std::swap(present[i - 1], present[random.below(i)]);
    }
    std::erase_if(present, [&](std::uint32_t w) {
      const chunk c = driver.ask(w);
      for (u64 i = c.begin; i < c.end; i += c.step) home[i] = w;
      return c.empty();
    });
  }
  return home;
}

// Equal shares, so that there is no imbalance for a schedule to even out.
TEST_P(EverySchedule, KeepsAnIterationsWorkerIfItSaysSo) {
  if (!GetParam().has(schedules::keeps_affinity)) return;
  for_each_case(usual_cases / 2, [&](base::rng& random) {
    const std::uint32_t workers = any_workers(random);
    const loop_shape shape{workers * (1 + random.below(16)), workers};
    const spec what = any_spec(random, GetParam(), shape);
    SCOPED_TRACE(describe(what, shape));
    ASSERT_EQ(homes(random, what, shape), homes(random, what, shape));
  });
}

INSTANTIATE_TEST_SUITE_P(registry, EverySchedule, testing::ValuesIn(schedules::registry()),
                         [](const auto& info) { return test_name(info.param.name); });

}  // namespace
}  // namespace doall::tests
