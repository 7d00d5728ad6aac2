// Every schedule of the registry under real threads: each iteration is dealt
// exactly once whatever the machine does between two atomic operations. Built
// with seeded delays before atomics (src/base/sync_delays.hpp, DOALL_SYNC_SEED),
// so that two cores show interleavings that are rare on many.
//
// A case is one storage, one set of P threads and many loops; the threads meet
// between two loops, and start each at random times. Its seed fixes the loops, not
// what the machine does with them: a failure may need several repetitions.

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include "schedule/adaptive_guided.hpp"
#include "support/any_loop.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::entry;
using schedules::spec;

const u64 usual_cases = 10 * times_longer();
constexpr int loops_a_case = 50;
// A test; one needs a fifth of it on an idle machine.
const u64 most_ns = 1'250'000'000 * times_longer();

// A worker arrives at once, a little later, or after the others had the time to
// run the loop without it.
void start_late(base::rng& random) {
  const u64 kind = random.below(8);
  if (kind < 5) {
    for (u64 spins = random.below(1000); spins > 0; --spins) sync::relax();
  } else if (kind < 7) {
    for (u64 yields = random.below(4); yields > 0; --yields) sync::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
  }
}

// Runs loops over one storage by P threads of its own; they have costs or not, and
// memory of the loop before if their schedule and parameters are the same.
// `pick(random)` is the schedule of the next loop.
template <class Pick>
void stress(base::rng& random, std::uint32_t workers, Pick pick) {
  hand_driver driver(workers);
  loop_memory memory;
  std::unique_ptr<ledger> dealt;
  bool over = false;
  std::barrier meeting(workers + 1);  // before and after each loop; orders all of the above

  std::vector<std::jthread> threads;
  for (std::uint32_t w = 0; w < workers; ++w) {
    threads.emplace_back([&, w, seed = random.next()] {
      base::rng mine(seed);
      for (;;) {
        meeting.arrive_and_wait();
        if (over) return;
        start_late(mine);
        const auto ask = [&] { return driver.ask(w, static_cast<double>(mine.below(100000))); };
        for (chunk c = ask(); !c.empty(); c = ask()) dealt->record(c);
        meeting.arrive_and_wait();
      }
    });
  }

  spec what{};
  for (int loop = 0; loop < loops_a_case && !testing::Test::HasFailure(); ++loop) {
    // The fewer iterations, the more of a loop is contention at its edges.
    const u64 share_most = random.below(2) == 0 ? 4 : 512;
    const loop_shape shape{random.below(share_most * workers), workers};
    if (what.which == nullptr || random.below(4) == 0) {
      what = any_spec(random, pick(random), shape);
    }
    const any_costs costs =
        random.below(2) == 0 ? any_costs(random, shape.iterations) : any_costs();
    SCOPED_TRACE(describe(what, shape));
    dealt = std::make_unique<ledger>(shape.iterations);
    driver.begin(what, shape, &memory, costs.sums());
    meeting.arrive_and_wait();
    meeting.arrive_and_wait();
    driver.finish();
    dealt->expect_exactly_once();
    driver.expect_bounds_kept();
  }
  over = true;
  meeting.arrive_and_wait();
}

std::uint32_t few_workers(base::rng& random) {
  return static_cast<std::uint32_t>(2 + random.below(random.below(2) == 0 ? 3 : 15));
}

class EveryScheduleStressed : public testing::TestWithParam<entry> {};

TEST_P(EveryScheduleStressed, DealsEachIterationOnce) {
  for_each_case(
      usual_cases,
      [&](base::rng& random) {
        const std::uint32_t workers = few_workers(random);
        stress(random, workers, [&](base::rng&) -> const entry& { return GetParam(); });
      },
      most_ns);
}

TEST(StorageStressed, IsReusedByLoopsOfAllKinds) {
  for_each_case(
      usual_cases,
      [&](base::rng& random) {
        const std::uint32_t workers = few_workers(random);
        stress(random, workers, any_entry);
      },
      most_ns);
}

// Workers who meet at the one counter fail to get chunks, and back off.
TEST(AdaptiveGuidedStressed, BacksOffFromFailedClaims) {
  constexpr std::uint32_t workers = 4;
  constexpr loop_shape shape{4000, workers};
  constexpr int loops_most = 1000;
  u64 failed = 0;
  for (int loop = 0; loop < loops_most && failed == 0; ++loop) {
    schedules::adaptive_guided schedule({.shape = shape, .given = {}});
    ledger dealt(shape.iterations);
    {
      std::barrier start(workers);
      std::vector<std::jthread> threads;
      for (std::uint32_t w = 0; w < workers; ++w) {
        threads.emplace_back([&, w] {
          start.arrive_and_wait();
          u64 turn = 0;
          for (chunk c = schedule.next({w, turn}, {}); !c.empty();
               c = schedule.next({w, turn}, {})) {
            dealt.record(c);
            ++turn;
          }
        });
      }
    }
    dealt.expect_exactly_once();
    failed += schedule.failed_claims();
    EXPECT_GE(schedule.pauses(),
              schedule.failed_claims() * schedules::adaptive_guided::pauses_after(1));
  }
  EXPECT_GT(failed, 0U) << "in " << loops_most << " loops nobody met anybody";
}

INSTANTIATE_TEST_SUITE_P(registry, EveryScheduleStressed, testing::ValuesIn(schedules::registry()),
                         [](const auto& info) { return test_name(info.param.name); });

}  // namespace
}  // namespace doall::tests
