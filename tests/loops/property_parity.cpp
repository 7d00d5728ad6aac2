// Virtual time and threads get the same chunks: the requests of a run in virtual time, made again
// by threads in the runtime's own loop, in the same order. Threads measure what chunks take:
// schedules that go by that are asked by hand, and told the virtual times.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "loops/loop_cursor.hpp"
#include "support/any_virtual_loop.hpp"
#include "support/hand_driver.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::chunk;
using schedules::entry;

// What a worker is to get, in the order of all requests; empty: nothing is left for it.
struct request {
  std::uint32_t worker;
  chunk expected;
  double took = 0;  // the worker's chunk before
};

// A worker's last request is the one that finds nothing: it makes it when it is free again.
std::vector<request> requests_of(const sim::execution& e) {
  std::vector<request> all;
  std::vector<double> took(e.workers.size());
  for (const sim::dealt_chunk& d : e.chunks) {
    all.push_back({d.worker, d.what, took[d.worker]});
    took[d.worker] = d.finished - d.started;
  }
  for (std::uint32_t w = 0; w < e.workers.size(); ++w)
    all.push_back({w, schedules::nothing_left, took[w]});
  return all;
}

// A thread for each worker; a turnstile lets them ask one after the other.
void expect_the_same_from_threads(const sim::loop_setup& loop,
                                  const std::vector<request>& requests) {
  const auto [iterations, workers] = loop.shape;
  team::loop_ring ring(1, workers);
  team::loop_slot& slot =
      ring.open_alone(0, {.how = loop.schedule, .shape = loop.shape, .source = {0, 1, iterations}});
  std::atomic<std::size_t> turn{0};
  const auto work = [&](std::uint32_t w) {
    team::loop_cursor cursor;
    cursor.begin(slot, w, {0, 1, iterations}, team::loop_cursor::pace::chunks);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const request& r = requests[i];
      if (r.worker != w) continue;
      for (std::size_t now = turn.load(); now != i; now = turn.load()) turn.wait(now);
      chunk got = schedules::nothing_left;
      const bool any = cursor.next_chunk(&got.begin, &got.end, &got.step);
      EXPECT_EQ(any, !r.expected.empty()) << "request " << i << ", worker " << w;
      if (any) {
        EXPECT_EQ(got.begin, r.expected.begin) << "request " << i << ", worker " << w;
        EXPECT_EQ(got.end, r.expected.end) << "request " << i << ", worker " << w;
        EXPECT_EQ(got.step, r.expected.step) << "request " << i << ", worker " << w;
      }
      turn.store(i + 1);
      turn.notify_all();
    }
    cursor.end();
  };
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < workers; ++w) threads.emplace_back(work, w);
  for (std::thread& t : threads) t.join();
  ring.close_alone(0);
}

void expect_the_same_by_hand(const sim::loop_setup& loop, const std::vector<request>& requests) {
  hand_driver driver(loop.shape.workers);
  driver.begin(loop.schedule, loop.shape);
  for (const request& r : requests) {
    const chunk got = driver.ask(r.worker, r.took);
    EXPECT_EQ(got.empty(), r.expected.empty());
    if (got.empty()) continue;
    EXPECT_EQ(got.begin, r.expected.begin);
    EXPECT_EQ(got.end, r.expected.end);
  }
  driver.finish();
}

class Parity : public testing::TestWithParam<entry> {};

TEST_P(Parity, ThreadsGetTheChunksOfVirtualTime) {
  const entry& which = GetParam();
  for_each_case(8, [&](base::rng& random) {
    const loop_shape shape{random.below(400), static_cast<std::uint32_t>(1 + random.below(6))};
    sim::loop_setup loop = any_setup(random, any_spec(random, which, shape), shape);
    // Threads make what they need of costs themselves (src/costs): here are none to be told.
    if (loop.schedule.has(schedules::uses_costs)) loop.costs = sim::iteration_costs(1);
    const auto requests = requests_of(sim::run_once(loop));
    if (loop.schedule.has(schedules::adapts))
      expect_the_same_by_hand(loop, requests);
    else
      expect_the_same_from_threads(loop, requests);
  });
}

INSTANTIATE_TEST_SUITE_P(registry, Parity, testing::ValuesIn(schedules::registry()),
                         [](const auto& info) { return test_name(info.param.name); });

}  // namespace
}  // namespace doall::tests
