// What the tests of kernels have in common.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.hpp"
#include "kernels/graph.hpp"
#include "kernels/harness.hpp"

namespace doall::bench {

// From its input on, on one thread.
template <class Kernel>
void run(Kernel& k) {
  k.reset();
  run_serial(k);
}

inline std::vector<std::byte> answer_of(const kernel& k) {
  return {k.answer().begin(), k.answer().end()};
}

template <class Kernel>
std::vector<std::byte> serial_answer(Kernel& k) {
  run(k);
  return answer_of(k);
}

// run_other() runs it in another order, or by other loops, from the same input.
template <class Kernel, class RunOther>
void expect_serial_bits(Kernel& k, const RunOther& run_other) {
  const auto serial = serial_answer(k);
  k.reset();
  run_other();
  EXPECT_EQ(answer_of(k), serial);
}

// Each program, under each of the schedules, which use(schedule) sets: every iteration runs as
// often as serially, and the answer is the serial one. `warm_up`: null: the program itself.
template <class Use>
void expect_serial_answers(const std::vector<program>& programs, const program* warm_up,
                           const std::vector<std::string>& schedules, const Use& use) {
  for (const program& p : programs) {
    harness h(p, size::small, warm_up == nullptr ? p : *warm_up);
    for (const std::string& schedule : schedules) {
      use(schedule);
      EXPECT_NO_THROW(h.check(way::parallel)) << p.name << ' ' << schedule;
    }
  }
}

inline undirected_graph any_graph(base::rng& random) {
  const std::size_t vertices = 1 + random.below(200);
  std::vector<undirected_graph::edge> edges(random.below(3 * vertices));
  for (auto& e : edges) {
    e.from = static_cast<vertex>(random.below(vertices));
    e.to = static_cast<vertex>(random.below(vertices));
  }
  return {vertices, edges};
}

}  // namespace doall::bench
