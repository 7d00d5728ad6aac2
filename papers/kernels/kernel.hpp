// What a kernel is: the data of a program, and the iterations of its parallel
// loops. Its header ends with run(k, loops), which has the order of the loops for
// any runtime (lanes/serial.hpp). An iteration is compiled once and linked into every lane:
// all runtimes run the same machine code.
#pragma once

#include <doall/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/loop_times.hpp"
#include "kernels/residence.hpp"

namespace doall::bench {

// The paper's sizes, and some that a test runs in a moment.
enum class size { small, paper };

class kernel {
 public:
  virtual ~kernel() = default;
  kernel(const kernel&) = delete;
  kernel& operator=(const kernel&) = delete;

  // Puts the input in place, before each run.
  virtual void reset() = 0;

  // What a run has computed: the same bits, whoever ran what.
  virtual std::span<const std::byte> answer() const = 0;

  // Whether that passes the test which the program's specification asks for; true: none is
  // asked for.
  virtual bool verified() const { return true; }

  // The parallel loops that the program has, each by its number of iterations.
  virtual std::vector<std::size_t> loop_lengths() const = 0;

  // Of the last run; null: the program does not tell fine loops from coarse ones.
  virtual const times_of_loops* times() const { return nullptr; }

  // Writes down who runs what from now on; null: no longer. Not for timed runs.
  void watch(residence* log) { watch_ = log; }

 protected:
  kernel() = default;

  // Every iteration begins with it: of timed runs it is one branch, for every runtime.
  void note(std::size_t loop, std::size_t iteration) const {
    if (watch_ != nullptr) [[unlikely]]
      watch_->note(loop, iteration);
  }
  // The same of iterations [first, last).
  void note(std::size_t loop, std::size_t first, std::size_t last) const {
    if (watch_ == nullptr) [[likely]]
      return;
    for (std::size_t i = first; i < last; ++i) watch_->note(loop, i);
  }

 private:
  residence* watch_ = nullptr;
};

// Prefix sums of known costs, as best-static takes them: 0, c0, c0 + c1, ...
template <class Cost>
std::vector<std::uint64_t> sums_of(std::size_t iterations, Cost cost) {
  std::vector<std::uint64_t> sums(iterations + 1);
  for (std::size_t i = 0; i < iterations; ++i) sums[i + 1] = sums[i] + cost(i);
  return sums;
}

inline std::vector<std::uint64_t> equal_cost_sums(std::size_t iterations) {
  return sums_of(iterations, [](std::size_t) { return 1; });
}

}  // namespace doall::bench
