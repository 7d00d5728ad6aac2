// A loop in virtual time, in its smallest form: the worker who is free first asks
// next (of several, the one with the lowest index), and a chunk takes as long as
// its iterations cost. A function of its arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "support/hand_driver.hpp"

namespace doall::tests {

// Runs the loop that the driver has begun, to its end. Worker w arrives at
// arrivals[w]; cost(i) is the time of iteration i; use(worker, chunk) sees each chunk.
// Returns when each worker was told that nothing is left.
template <class Cost, class Use>
std::vector<double> run_earliest_free(hand_driver& driver, const std::vector<double>& arrivals,
                                      Cost cost, Use use) {
  using event = std::pair<double, std::uint32_t>;  // when a worker asks
  std::priority_queue<event, std::vector<event>, std::greater<>> next;
  for (std::uint32_t w = 0; w < arrivals.size(); ++w) next.emplace(arrivals[w], w);
  std::vector<double> left(arrivals.size());
  std::vector<double> lasted(arrivals.size());  // each worker's last chunk
  while (!next.empty()) {
    const auto [now, w] = next.top();
    next.pop();
    const chunk c = driver.ask(w, lasted[w]);
    left[w] = now;
    if (c.empty()) continue;
    use(w, c);
    lasted[w] = 0;
    for (u64 i = c.begin; i < c.end; i += c.step) lasted[w] += cost(i);
    next.emplace(now + lasted[w], w);
  }
  driver.finish();
  return left;
}

}  // namespace doall::tests
