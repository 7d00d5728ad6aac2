// reduce's lanes: a dot product and a histogram on one runtime each. Verb (lanes/server.hpp has the
// protocol):
//   time SCHEDULE dot|histogram ELEMENTS   nanoseconds a reduction, one number a batch
// SCHEDULE is one that the lane offers, or `serial`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace doall::bench {

// The values that bytes can have: a reduction of many sums.
using byte_counts = std::array<std::uint32_t, 256>;

inline void add(byte_counts& counts, const byte_counts& others) {
  for (std::size_t value = 0; value < counts.size(); ++value) counts[value] += others[value];
}

// Both reductions under one schedule of a runtime.
struct reductions {
  std::string schedule;
  // x and y are of one length.
  std::function<double(std::span<const double> x, std::span<const double> y)> dot;
  std::function<byte_counts(std::span<const std::uint8_t> bytes)> histogram;
};

struct reduce_lane {
  std::string library;   // what runs the loops
  unsigned threads = 1;  // a loop has
  std::vector<reductions> offered;
  // Calls what it is given where the runtime's loops are to be started.
  std::function<void(const std::function<void()>&)> enter = [](const auto& run) { run(); };
};

// Answers the driver until the input ends.
void serve_reduce(const reduce_lane& r);

}  // namespace doall::bench
