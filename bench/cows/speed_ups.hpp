// The picture of the part on threads: speed-ups over dynamic, kernel by kernel and graph by graph.
#pragma once

#include <string>
#include <vector>

#include "common/chart.hpp"
#include "stealing/comparison.hpp"

namespace doall::bench {

// A kernel on a graph, in one of its orders.
struct placed_program {
  std::string name;
  std::string kernel;
  std::string graph;
};

// A panel for each kernel, a group for each graph: the geometric mean over its orders. Our
// schedules through the native door, and of each peer the best that it has. dynamic itself is the
// line at 1.
bar_chart speed_ups_of(const stealing_benchmark& b, const std::vector<stealing_result>& all,
                       const std::vector<placed_program>& places);

}  // namespace doall::bench
