// Loops with costs, started by several threads at once: the same costs, costs of their own, and
// costs that change, more of them than are kept. Every iteration runs once.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/rng.hpp"
#include "support/every_schedule.hpp"

namespace {

constexpr int threads = 4;
constexpr int iterations = 20'000;  // their sums are made in parallel

// Every schedule that goes by costs; and wsrw's lists, order and reservations.
std::vector<std::string> texts() {
  std::vector<std::string> all = doall::tests::every_costed_text();
  for (const char* options : {",assign=block", ",order=reverse", ",1,min=2"}) {
    all.push_back(std::string("wsrw") + options);
  }
  return all;
}

// One of the kinds of costs, by a loop of the thread's own.
void run_loops(int thread, const std::vector<std::uint64_t>& shared, int rounds) {
  const doall::thread_scope two(2 + thread % 2);
  doall::base::rng random(static_cast<std::uint64_t>(thread) + 1);
  std::vector<std::atomic<int>> seen(iterations);
  std::vector<double> own(iterations);
  const doall::cost_table table(doall::weights(shared));
  const std::vector<std::string> all = texts();
  for (int round = 1; round <= rounds; ++round) {
    for (double& cost : own) cost = static_cast<double>(random.below(100));
    const doall::schedule how(all[random.below(all.size())]);
    const auto body = [&](int i) { ++seen[static_cast<std::size_t>(i)]; };
    switch (random.below(4)) {
      case 0: doall::parallel_for(0, iterations, body, {.how = how, .costs = table}); break;
      case 1:
        doall::parallel_for(0, iterations, body, {.how = how, .costs = doall::weights(shared)});
        break;
      case 2:
        doall::parallel_for(0, iterations, body, {.how = how, .costs = doall::weights(own)});
        break;
      default:
        doall::parallel_for(0, iterations, body,
                            {.how = how, .costs = doall::cost([&](int i) {
                                                    return own[i] + 1;
                                                  }).generation(random.below(99))});
    }
    for (const auto& count : seen) ASSERT_EQ(count, round) << thread;
  }
}

TEST(StressCosts, OfSeveralThreadsAtOnce) {
  std::vector<std::uint64_t> shared(iterations);
  for (int i = 0; i < iterations; ++i) shared[i] = static_cast<std::uint64_t>(i % 321);
  std::vector<std::thread> callers;
  for (int t = 0; t < threads; ++t) callers.emplace_back([&, t] { run_loops(t, shared, 60); });
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
