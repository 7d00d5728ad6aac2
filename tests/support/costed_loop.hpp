// Loops with costs, driven by hand, and what their chunks hold.
#pragma once

#include <numeric>
#include <string_view>
#include <vector>

#include "support/hand_driver.hpp"

namespace doall::tests {

// Running sums, as schedules::cost_sums takes them.
inline std::vector<u64> sums_of(const std::vector<u64>& costs) {
  std::vector<u64> sums(costs.size() + 1);
  std::partial_sum(costs.begin(), costs.end(), sums.begin() + 1);
  return sums;
}

// A driver whose loop has these costs, and as many iterations.
struct costed_loop {
  costed_loop(std::string_view what, std::uint32_t workers, const std::vector<u64>& costs)
      : sums(sums_of(costs)), driver(workers) {
    driver.begin(spec_of(what), {costs.size(), workers}, nullptr, {sums.data(), costs.size()});
  }

  std::vector<u64> sums;
  hand_driver driver;
};

inline std::vector<u64> iterations_of(const chunk& c) {
  std::vector<u64> all;
  for (u64 i = c.begin; i < c.end; i += c.step) all.push_back(i);
  return all;
}

inline std::vector<u64> iterations_of(const std::vector<chunk>& chunks) {
  std::vector<u64> all;
  for (const chunk& c : chunks) {
    for (const u64 i : iterations_of(c)) all.push_back(i);
  }
  return all;
}

inline void ask_often(hand_driver& driver, std::uint32_t w, int calls) {
  for (; calls > 0; --calls) driver.ask(w);
}

}  // namespace doall::tests
