// What the tests of COWS's kernels have in common.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/cows_programs.hpp"
#include "kernels/harness.hpp"

namespace doall::bench {

// Every kernel on the small Kronecker graph, in each order of its vertices, by
// run_parallel(kernel, schedule) under each of the schedules.
void expect_serial_answers(const std::vector<std::string>& schedules, auto run_parallel) {
  std::string how = schedules.front();
  const auto door = [&](auto& k) { run_parallel(k, how); };
  for (const program& p : cows_programs(door, every_graph(size::small, {}))) {
    harness h(p, size::small, cows_warm_up(door));
    for (const std::string& schedule : schedules) {
      how = schedule;
      EXPECT_NO_THROW(h.check(way::parallel)) << p.name << ' ' << schedule;
    }
  }
}

}  // namespace doall::bench
