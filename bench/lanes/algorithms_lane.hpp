// algorithms' lanes: sorting, running sums and loop forms by one runtime. Verb (lanes/server.hpp
// has the protocol):
//   time SCHEDULE ALGORITHM ELEMENTS   nanoseconds a call, one number a call; 0: it has none
// SCHEDULE is one that the lane offers, or `serial`. ALGORITHM: sort-int, sort-double, sort-few
// (of four values), sort-text, scan-int, scan-double, or one of forms.hpp's.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lanes/forms.hpp"

namespace doall::bench {

// A runtime's algorithms. A scan's `to` is as long as `from`.
struct algorithms {
  std::string schedule;
  std::function<void(std::span<int>)> sort_ints;
  std::function<void(std::span<double>)> sort_doubles;
  std::function<void(std::span<std::string>)> sort_texts;
  std::function<void(std::span<const int> from, std::span<int> to)> scan_ints;
  std::function<void(std::span<const double> from, std::span<double> to)> scan_doubles;
  forms more = {};
};

struct algorithms_lane {
  std::string library;   // what runs the loops
  unsigned threads = 1;  // a loop has
  std::vector<algorithms> offered;
  // Calls what it is given where the runtime's loops are to be started.
  std::function<void(const std::function<void()>&)> enter = [](const auto& run) { run(); };
};

// Answers the driver until the input ends.
void serve_algorithms(const algorithms_lane& a);

}  // namespace doall::bench
