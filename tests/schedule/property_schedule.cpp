// What every schedule of the registry promises (schedule/schedule.hpp), on random
// loops, parameters and interleavings. The workers are driven by hand, one call
// of next() at a time, so a case is a function of its seed (support/seeds.hpp).

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "support/any_loop.hpp"
#include "support/hand_driver.hpp"
#include "support/interleaving.hpp"
#include "support/interval_ledger.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::entry;
using schedules::origin;
using schedules::spec;

const u64 usual_cases = 500 * times_longer();

// What can be said of a worker's chunks one by one.
class chunk_rules {
 public:
  chunk_rules(const spec& what, loop_shape shape)
      : monotonic_(what.has(schedules::monotonic)), shape_(shape), past_(shape.workers) {}

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

// A loop and all that a schedule may be given with it.
struct given_loop {
  spec what;
  loop_shape shape;
  any_costs costs = {};
  loop_memory* memory = nullptr;
};

std::string describe(const given_loop& loop) { return tests::describe(loop.what, loop.shape); }

// Drives a loop until all comers were told that nothing is left, or for
// `calls_most` calls, and hands each chunk to use(worker, chunk). Returns whether
// all were told. Either way they have left in the end, as they do when a body throws.
template <class Use>
bool drive(hand_driver& driver, base::rng& random, const given_loop& loop, std::uint32_t comers,
           u64 calls_most, Use use) {
  driver.begin(loop.what, loop.shape, loop.memory, loop.costs.sums());
  chunk_rules rules(loop.what, loop.shape);
  interleaving order(random, loop.shape.workers, comers);
  std::uint32_t w = order.next();
  for (u64 calls = 0; w != interleaving::nobody && calls < calls_most; ++calls) {
    const chunk c = driver.ask(w, static_cast<double>(random.below(100000)));
    if (c.empty()) {
      order.leave();
    } else {
      rules.check(w, c);
      if (testing::Test::HasFatalFailure()) return false;
      use(w, c);
    }
    w = order.next();
  }
  driver.finish();
  return w == interleaving::nobody;
}

// Each call either deals an iteration or is a worker's last.
u64 calls_enough(loop_shape shape) { return shape.iterations + shape.workers; }

loop_shape any_shape(base::rng& random) {
  const std::uint32_t workers = any_workers(random);
  return {any_iterations(random, workers), workers};
}

// The same schedule with the same workers, for a number of iterations that changes
// from one loop to the next, with memory of the loop before and without.
template <class Iterations, class Use>
void for_each_loop(base::rng& random, const entry& which, Iterations iterations, Use use) {
  const std::uint32_t workers = any_workers(random);
  const spec what = any_spec(random, which, {iterations(random, workers), workers});
  loop_memory memory;
  hand_driver driver(workers);
  for (int loops = which.has(schedules::remembers) ? 3 : 1; loops > 0; --loops) {
    given_loop loop{what, {iterations(random, workers), workers}};
    if (random.below(4) != 0) loop.memory = &memory;
    use(driver, loop);
    driver.expect_bounds_kept();
    if (testing::Test::HasFailure()) return;
  }
}

class EverySchedule : public testing::TestWithParam<entry> {};

TEST_P(EverySchedule, DealsEachIterationOnceWhenAllCome) {
  for_each_case(usual_cases, [&](base::rng& random) {
    for_each_loop(random, GetParam(), any_iterations, [&](hand_driver& driver, given_loop& loop) {
      if (random.below(2) == 0) loop.costs = any_costs(random, loop.shape.iterations);
      SCOPED_TRACE(describe(loop));
      ledger dealt(loop.shape.iterations);
      EXPECT_TRUE(drive(driver, random, loop, loop.shape.workers, calls_enough(loop.shape),
                        [&](std::uint32_t, const chunk& c) { dealt.record(c); }));
      dealt.expect_exactly_once();
    });
  });
}

// What a worker that never comes leaves behind differs; that nothing is dealt
// twice and that the others are told that nothing is left does not.
TEST_P(EverySchedule, DealsNothingTwiceWhenSomeNeverCome) {
  for_each_case(usual_cases / 2, [&](base::rng& random) {
    for_each_loop(random, GetParam(), any_iterations, [&](hand_driver& driver, given_loop& loop) {
      if (random.below(2) == 0) loop.costs = any_costs(random, loop.shape.iterations);
      SCOPED_TRACE(describe(loop));
      ledger dealt(loop.shape.iterations);
      const auto comers = static_cast<std::uint32_t>(1 + random.below(loop.shape.workers));
      EXPECT_TRUE(drive(driver, random, loop, comers, calls_enough(loop.shape),
                        [&](std::uint32_t, const chunk& c) { dealt.record(c); }));
      dealt.expect_at_most_once();
    });
  });
}

// Too many iterations to count or to give costs of, so chunks are compared as
// intervals, and a loop that would take too many calls is left half-way. Small
// loops between them leave memory behind that does not fit, and find it.
TEST_P(EverySchedule, IsExactOnHugeLoops) {
  constexpr u64 calls_most = 4000;
  const auto mostly_huge = [](base::rng& random, std::uint32_t workers) {
    return random.below(8) == 0 ? any_iterations(random, workers) : huge_iterations(random);
  };
  for_each_case(usual_cases / 2, [&](base::rng& random) {
    for_each_loop(random, GetParam(), mostly_huge, [&](hand_driver& driver, given_loop& loop) {
      SCOPED_TRACE(describe(loop));
      interval_ledger dealt(loop.shape.iterations);
      const bool finished = drive(driver, random, loop, loop.shape.workers, calls_most,
                                  [&](std::uint32_t, const chunk& c) { dealt.record(c); });
      if (finished) {
        dealt.expect_exactly_once();
      } else {
        dealt.expect_at_most_once();
      }
    });
  });
}

// order=reverse deals the same chunks to the same workers, counted from the end.
TEST_P(EverySchedule, BackwardsIsTheMirrorImage) {
  for_each_case(usual_cases / 2, [&](base::rng& random) {
    const loop_shape shape = any_shape(random);
    given_loop loop{any_spec(random, GetParam(), shape), shape};
    if (random.below(2) == 0) loop.costs = any_costs(random, shape.iterations);
    SCOPED_TRACE(describe(loop));
    const base::rng calls = random;
    const auto dealt = [&](schedules::dealing order) {
      loop.what.given.order = order;
      std::vector<std::pair<std::uint32_t, chunk>> chunks;
      hand_driver driver(shape.workers);
      base::rng same = calls;
      drive(driver, same, loop, shape.workers, calls_enough(shape),
            [&](std::uint32_t w, const chunk& c) { chunks.emplace_back(w, c); });
      return chunks;
    };
    const auto forward = dealt(schedules::in_order);
    loop.costs = loop.costs.mirrored();
    const auto backward = dealt(schedules::in_reverse);
    ASSERT_EQ(forward.size(), backward.size());
    for (std::size_t i = 0; i < forward.size(); ++i) {
      const auto& [w, c] = forward[i];
      const u64 last = c.begin + (c.size() - 1) * c.step;
      const auto& [backward_w, mirrored] = backward[i];
      ASSERT_EQ(backward_w, w);
      ASSERT_EQ(mirrored.begin, shape.iterations - 1 - last) << "chunk " << i;
      ASSERT_EQ(mirrored.size(), c.size()) << "chunk " << i;
      ASSERT_EQ(mirrored.step, c.step) << "chunk " << i;
      ASSERT_EQ(mirrored.from, c.from) << "chunk " << i;
      ASSERT_EQ(mirrored.victim, c.victim) << "chunk " << i;
    }
  });
}

// Stale state of one loop must not leak into the next, whatever the schedules,
// the worker counts, and whether the loop before was run to its end.
TEST(Storage, IsReusedByLoopsOfAllKinds) {
  for_each_case(usual_cases / 20, [&](base::rng& random) {
    hand_driver driver(most_workers);
    loop_memory memory;
    given_loop loop{};
    for (int loops = 0; loops < 50; ++loops) {
      // Now and then the schedule and the workers of the loop before, so that there
      // is memory to be found.
      if (loops == 0 || random.below(2) == 0) {
        loop.shape = any_shape(random);
        loop.what = any_spec(random, any_entry(random), loop.shape);
      } else {
        loop.shape.iterations = any_iterations(random, loop.shape.workers);
      }
      loop.costs = random.below(2) == 0 ? any_costs(random, loop.shape.iterations) : any_costs();
      loop.memory = random.below(4) == 0 ? nullptr : &memory;
      SCOPED_TRACE("loop " + std::to_string(loops) + ": " + describe(loop));
      ledger dealt(loop.shape.iterations);
      const bool abandon = random.below(3) == 0;
      const u64 calls_most = abandon ? random.below(100) : calls_enough(loop.shape);
      const bool finished = drive(driver, random, loop, loop.shape.workers, calls_most,
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
std::vector<std::uint32_t> homes(base::rng& random, const given_loop& loop) {
  const loop_shape shape = loop.shape;
  std::vector<std::uint32_t> home(shape.iterations, shape.workers);
  hand_driver driver(shape.workers);
  driver.begin(loop.what, shape, loop.memory, loop.costs.sums());
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
  driver.finish();
  return home;
}

// Equal partitions, so that there is no imbalance for a schedule to even out. No costs: a chunk
// takes a round here, whatever it costs, so partitions of equal cost would be none of equal length.
TEST_P(EverySchedule, KeepsAnIterationsWorkerIfItSaysSo) {
  if (!GetParam().has(schedules::keeps_affinity)) return;
  for_each_case(usual_cases / 2, [&](base::rng& random) {
    // hybrid has partitions by a power of two: another number leaves some for whoever is first.
    const bool shares_by_workers = !GetParam().name.starts_with("hybrid");
    const std::uint32_t any = any_workers(random);
    const std::uint32_t workers = shares_by_workers ? any : std::bit_floor(any);
    const loop_shape shape{workers * (1 + random.below(16)), workers};
    loop_memory memory;
    given_loop loop{any_spec(random, GetParam(), shape), shape};
    if (!shares_by_workers) loop.what.given = {.order = loop.what.given.order};
    if (random.below(4) != 0) loop.memory = &memory;
    SCOPED_TRACE(describe(loop));
    const std::vector<std::uint32_t> first = homes(random, loop);
    ASSERT_EQ(homes(random, loop), first);
  });
}

INSTANTIATE_TEST_SUITE_P(registry, EverySchedule, testing::ValuesIn(schedules::registry()),
                         [](const auto& info) { return test_name(info.param.name); });

}  // namespace
}  // namespace doall::tests
