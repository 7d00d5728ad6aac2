// What a loop's iterations cost, by where in the loop they lie, for `doall run --record`.
//
// The loop is cut into parts of equal length, at most parts_most. A chunk that ran adds its time to
// the parts that it lies in, as if its iterations had all taken the same time: the profile is as
// fine as the chunks. Of a loop's executions the first and then one in some_in is timed; what
// executions of another length have left is forgotten.
//
// Workers add in parallel. begin() and read() are called under the lock of the sites (site.cpp),
// begin() while no worker runs the loop: what it writes reaches them as the opened loop does.
// Memory: 4 KiB. Cost of a chunk: two locked additions for each part that it lies in.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/arith.hpp"
#include "base/sync.hpp"
#include "schedule/schedule.hpp"

namespace doall::observe {

class cost_profile {
 public:
  static constexpr std::uint64_t parts_most = 256;
  static constexpr std::uint64_t first_ones = 8;
  static constexpr std::uint64_t some_in = 16;

  // Begins an execution.
  void begin(std::uint64_t iterations) {
    timed_ = executions_ < first_ones || executions_ % some_in == 0;
    ++executions_;
    if (!timed_ || iterations == iterations_) return;
    iterations_ = iterations;
    width_ = std::max<std::uint64_t>(base::ceil_div(iterations, parts_most), 1);
    for (part& p : parts_) {
      // (1) relaxed; alone: the opening of the loop publishes it
      p.iterations.store(0, sync::relaxed);
      // (2) relaxed; alone: as (1)
      p.ticks.store(0, sync::relaxed);
    }
  }

  // The chunk has taken so long.
  void add(const schedules::chunk& c, std::uint64_t ticks) {
    if (!timed_ || c.empty()) return;
    const std::uint64_t all = c.size();
    const double each = static_cast<double>(ticks) / static_cast<double>(all);
    // A strided chunk counts in the parts that it passes, by their share of it.
    std::uint64_t counted = 0;
    for (std::uint64_t n = c.begin / width_; is_part(n) && counted < all; ++n) {
      const std::uint64_t end = n * width_ + length_of(n);
      const std::uint64_t until =
          end >= c.end ? all : base::ceil_div(end - std::min(c.begin, end), c.step);
      const std::uint64_t here = std::min(until, all) - counted;
      if (here == 0) continue;  // a stride may pass over it
      // (3) relaxed; alone: a sum; nothing else is communicated
      parts_[n].iterations.fetch_add(here, sync::relaxed);
      // (4) relaxed; alone: as (3)
      parts_[n].ticks.fetch_add(static_cast<std::uint64_t>(each * static_cast<double>(here)),
                                sync::relaxed);
      counted += here;
    }
  }

  // Calls take(iterations, ticks of each) for the parts in their order, which together are the
  // loop; one that was not timed has the mean of all. Not at all if nothing was timed.
  template <class Take>
  void read(Take take) const {
    std::uint64_t iterations = 0;
    std::uint64_t ticks = 0;
    for (const part& p : parts_) {
      // (5) relaxed; alone: as (3)
      iterations += p.iterations.load(sync::relaxed);
      // (6) relaxed; alone: as (3)
      ticks += p.ticks.load(sync::relaxed);
    }
    if (iterations == 0) return;
    const auto ratio = [](std::uint64_t of, std::uint64_t by) {
      return static_cast<double>(of) / static_cast<double>(by);
    };
    const double mean = ratio(ticks, iterations);
    for (std::uint64_t n = 0; is_part(n); ++n) {
      // (7) relaxed; alone: as (3)
      const std::uint64_t timed = parts_[n].iterations.load(sync::relaxed);
      // (8) relaxed; alone: as (3)
      const std::uint64_t here = parts_[n].ticks.load(sync::relaxed);
      take(length_of(n), timed == 0 ? mean : ratio(here, timed));
    }
  }

 private:
  struct part {
    sync::atomic<std::uint64_t> iterations{0};
    sync::atomic<std::uint64_t> ticks{0};
  };

  bool is_part(std::uint64_t n) const { return n < parts_most && n * width_ < iterations_; }
  std::uint64_t length_of(std::uint64_t n) const {
    return std::min(width_, iterations_ - n * width_);
  }

  bool timed_ = false;
  std::uint64_t executions_ = 0;
  std::uint64_t iterations_ = 0;
  std::uint64_t width_ = 1;
  std::array<part, parts_most> parts_{};
};

}  // namespace doall::observe
