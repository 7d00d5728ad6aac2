// What AFS proves of affinity, in virtual time on random costs and arrivals: the
// number of synchronisations per queue (Theorem 3.1), and that an iteration is
// reassigned at most once (section 2.2). The same for affinity-last, whose queues
// are what the last run left.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "schedule/fragments.hpp"
#include "support/any_loop.hpp"
#include "support/earliest_free.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::fragment_list;
using schedules::loop_fragments;
using schedules::origin;
using schedules::share;
using schedules::share_of;
using schedules::spec;

constexpr u64 usual_cases = 400;

// How often ceil(1/part) of what is left can be taken from so many iterations.
u64 accesses(u64 iterations, u64 part) {
  if (part >= iterations) return iterations;
  u64 count = 0;
  for (; iterations > 0; ++count) iterations -= base::ceil_div(iterations, part);
  return count;
}

// Lemma 3.1 with its constants. A take leaves at most (1 - 1/k) of R, so j takes at most
// N (1 - 1/k)^j <= N e^(-j/k), which is k or less from j = k ln(N / k) on; and k
// iterations are taken by at most k takes.
u64 accesses_most(u64 iterations, u64 k) {
  if (k >= iterations) return iterations;
  const double ratio = static_cast<double>(iterations) / static_cast<double>(k);
  return k + static_cast<u64>(std::ceil(static_cast<double>(k) * std::log(ratio)));
}

TEST(Lemma31, BoundsTheAccessesToAQueue) {
  for_each_case(20000, [](base::rng& random) {
    const u64 n = random.next() >> (20 + random.below(44));
    const u64 k = 1 + random.below(random.below(4) == 0 ? 4 : 3000);
    ASSERT_LE(accesses(n, k), accesses_most(n, k)) << n << ", " << k;
  });
}

// A loop and how it goes.
struct trial {
  loop_shape shape;
  spec what;
  std::vector<double> cost;
  std::vector<double> arrivals;

  u64 k() const { return what.given.k == 0 ? shape.workers : what.given.k; }
};

// Costs that are alike in blocks, up to `cost_most`, and workers that may be late.
void draw_times(base::rng& random, trial& t) {
  t.cost.resize(t.shape.iterations);
  const u64 block = 1 + random.below(t.shape.iterations + 1);
  const u64 cost_most = 1 + random.below(100);
  double cost = 1;
  for (u64 i = 0; i < t.shape.iterations; ++i) {
    if (i % block == 0) cost = static_cast<double>(1 + random.below(cost_most));
    t.cost[i] = cost;
  }
  t.arrivals.assign(t.shape.workers, 0);
  const u64 late_most = 1 + random.below(2) * t.shape.iterations;
  for (double& a : t.arrivals) a = static_cast<double>(random.below(late_most));
}

trial any_trial(base::rng& random, std::string_view name) {
  const auto workers = static_cast<std::uint32_t>(1 + random.below(100));
  const loop_shape shape{random.below(4000), workers};
  trial t{shape, any_spec(random, *schedules::find(name), shape), {}, {}};
  t.what.given.order = schedules::in_order;
  draw_times(random, t);
  return t;
}

// What one run of a loop did to each queue.
struct account {
  std::vector<u64> local;             // synchronisations of the owner, per queue
  std::vector<u64> remote;            // and of others
  std::vector<std::uint32_t> runner;  // per iteration
  u64 moved = 0;                      // iterations
};

// Runs the loop; each chunk must come from the queue that it says, where home[i] is
// the worker in whose queue iteration i was when the loop began.
account run(hand_driver& driver, const trial& t, const std::vector<std::uint32_t>& home,
            loop_memory* memory = nullptr) {
  const std::uint32_t workers = t.shape.workers;
  account done{std::vector<u64>(workers), std::vector<u64>(workers),
               std::vector<std::uint32_t>(t.shape.iterations, workers)};
  ledger dealt(t.shape.iterations);
  driver.begin(t.what, t.shape, memory);
  run_earliest_free(
      driver, t.arrivals, [&](u64 i) { return t.cost[i]; },
      [&](std::uint32_t w, const chunk& c) {
        const bool stolen = c.from == origin::stolen;
        const std::uint32_t queue = stolen ? c.victim : w;
        EXPECT_EQ(stolen, queue != w);
        ++(stolen ? done.remote : done.local)[queue];
        done.moved += stolen ? c.size() : 0;
        for (u64 i = c.begin; i < c.end; ++i) {
          EXPECT_EQ(home[i], queue) << "iteration " << i;
          done.runner[i] = w;
        }
        dealt.record(c);
      });
  dealt.expect_exactly_once();
  return done;
}

std::vector<std::uint32_t> even_homes(loop_shape shape) {
  std::vector<std::uint32_t> home(shape.iterations);
  for (std::uint32_t w = 0; w < shape.workers; ++w) {
    const share s = share_of(w, shape);
    std::fill(home.begin() + s.begin, home.begin() + s.end, w);
  }
  return home;
}

// Theorem 3.1: O(k log(N / Pk)) by the owner and O(P log(N / P^2)) by others. The
// others' takes only lower what the owner finds, and the number of takes does not
// decrease with what is left, so each has its bound whatever the others do.
TEST(Affinity, SynchronisesPerQueueAsTheoremThreeOneSays) {
  for_each_case(usual_cases, [](base::rng& random) {
    const trial t = any_trial(random, "affinity");
    SCOPED_TRACE(describe(t.what, t.shape));
    hand_driver driver(t.shape.workers);
    const account done = run(driver, t, even_homes(t.shape));
    for (std::uint32_t v = 0; v < t.shape.workers; ++v) {
      const u64 iterations = share_of(v, t.shape).size();
      ASSERT_LE(done.local[v], accesses(iterations, t.k()));
      ASSERT_LE(done.remote[v], accesses(iterations, t.shape.workers));
    }
  });
}

// Section 2.2: synchronisation between workers comes with imbalance only.
TEST(Affinity, MovesNothingWhenTheLoadIsEven) {
  for_each_case(usual_cases, [](base::rng& random) {
    trial t = any_trial(random, "affinity");
    t.shape.iterations = t.shape.workers * random.below(50);
    SCOPED_TRACE(describe(t.what, t.shape));
    t.cost.assign(t.shape.iterations, 1);
    t.arrivals.assign(t.shape.workers, 0);
    hand_driver driver(t.shape.workers);
    const account done = run(driver, t, even_homes(t.shape));
    ASSERT_EQ(done.moved, 0U);
  });
}

// In whose queue each iteration is when the loop runs next.
std::vector<std::uint32_t> homes_of(loop_fragments& memory, loop_shape shape) {
  const auto about = memory.loop.get();
  std::vector<std::uint32_t> home = even_homes(shape);
  if (about.iterations != shape.iterations || about.workers != shape.workers) return home;
  std::ranges::fill(home, shape.workers);
  for (std::uint32_t w = 0; w < shape.workers; ++w) {
    for (const share& s : memory.at(w).queue.get()) {
      std::fill(home.begin() + s.begin, home.begin() + s.end, w);
    }
  }
  return home;
}

// How many fragments a worker's iterations are, and how many there are.
struct queue_size {
  u64 fragments = 0;
  u64 iterations = 0;
};

std::vector<queue_size> queue_sizes(const std::vector<std::uint32_t>& home, loop_shape shape) {
  std::vector<queue_size> sizes(shape.workers);
  for (u64 i = 0; i < home.size(); ++i) {
    sizes[home[i]].fragments += i == 0 || home[i - 1] != home[i] ? 1 : 0;
    ++sizes[home[i]].iterations;
  }
  return sizes;
}

// A chunk that a fragment's end cuts short comes on top, at most once a fragment. What
// a run leaves: an iteration is where it ran, or where it was if there was no room.
TEST(AffinityLast, SynchronisesAndRemembersWithinItsBounds) {
  for_each_case(usual_cases / 8, [](base::rng& random) {
    trial t = any_trial(random, "affinity-last");
    SCOPED_TRACE(describe(t.what, t.shape));
    hand_driver driver(t.shape.workers);
    loop_memory memory;
    auto& remembered = *static_cast<loop_fragments*>(memory.of(t.what, t.shape));
    for (int repeat = 0; repeat < 10; ++repeat) {
      const auto before = homes_of(remembered, t.shape);
      const auto queues = queue_sizes(before, t.shape);
      const account done = run(driver, t, before, &memory);
      for (std::uint32_t v = 0; v < t.shape.workers; ++v) {
        const auto& [fragments, iterations] = queues[v];
        ASSERT_LE(done.local[v], accesses(iterations, t.k()) + fragments);
        ASSERT_LE(done.remote[v], accesses(iterations, t.shape.workers) + fragments);
      }
      const auto after = homes_of(remembered, t.shape);
      // A move gives each of two workers at most one fragment more.
      const u64 moves = std::accumulate(done.remote.begin(), done.remote.end(), u64{0});
      const bool room = moves + std::ranges::max(queues, {}, &queue_size::fragments).fragments <=
                        fragment_list::most;
      for (u64 i = 0; i < t.shape.iterations; ++i) {
        ASSERT_LT(after[i], t.shape.workers) << "iteration " << i << " is lost";
        if (room) {
          ASSERT_EQ(after[i], done.runner[i]) << "iteration " << i;
        } else {
          ASSERT_TRUE(after[i] == done.runner[i] || after[i] == before[i]) << "iteration " << i;
        }
      }
      if (random.below(3) == 0) draw_times(random, t);
    }
  });
}

}  // namespace
}  // namespace doall::tests
