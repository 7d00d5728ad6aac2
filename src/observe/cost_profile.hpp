// What a loop's iterations cost, by where in the loop they lie, for `doall run --record`.
//
// The loop is cut into 256 equal parts; a short one has parts of one iteration or none. A chunk
// that ran adds its time to the parts that it lies in, as if its iterations had all taken the same
// time: the profile is as fine as the chunks. Of the executions that it is told of the first and
// then one in some_in is timed. Executions of another length add to the same parts of the loop:
// what is kept is the shape of the mean execution.
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
  static constexpr std::uint64_t parts = 256;
  static constexpr std::uint64_t first_ones = 8;
  static constexpr std::uint64_t some_in = 16;

  // Begins an execution, which stands for so many of the loop's.
  void begin(std::uint64_t iterations, std::uint64_t stands_for = 1) {
    timed_ = told_ < first_ones || told_ % some_in == 0;
    ++told_;
    executions_ += stands_for;
    all_iterations_ =
        base::saturating_add(all_iterations_, base::saturating_mul(iterations, stands_for));
    iterations_ = iterations;
  }

  // Whether the current execution is timed.
  bool is_timed() const { return timed_; }

  // The iterations of a mean execution.
  std::uint64_t mean_length() const { return executions_ == 0 ? 0 : all_iterations_ / executions_; }

  // The chunk has taken so long.
  void add(const schedules::chunk& c, std::uint64_t ticks) {
    if (!timed_ || c.empty()) return;
    const std::uint64_t all = c.size();
    const double each = static_cast<double>(ticks) / static_cast<double>(all);
    // A strided chunk counts in the parts that it passes, by their share of it.
    std::uint64_t counted = 0;
    for (std::uint64_t n = part_of(c.begin, iterations_); n < parts && counted < all; ++n) {
      const std::uint64_t end = begin_of(n + 1, iterations_);
      const std::uint64_t until =
          end >= c.end ? all : base::ceil_div(end - std::min(c.begin, end), c.step);
      const std::uint64_t here = std::min(until, all) - counted;
      if (here == 0) continue;  // a stride may pass over it
      // (1) relaxed; alone: a sum; nothing else is communicated
      parts_[n].iterations.fetch_add(here, sync::relaxed);
      // (2) relaxed; alone: as (1)
      parts_[n].ticks.fetch_add(static_cast<std::uint64_t>(each * static_cast<double>(here)),
                                sync::relaxed);
      counted += here;
    }
  }

  // Calls take(iterations, ticks of each) for the parts in their order, which together are an
  // execution of mean length; one that was not timed has the mean of all. Not at all if nothing was
  // timed.
  template <class Take>
  void read(Take take) const {
    std::uint64_t iterations = 0;
    std::uint64_t ticks = 0;
    for (const part& p : parts_) {
      // (3) relaxed; alone: as (1)
      iterations += p.iterations.load(sync::relaxed);
      // (4) relaxed; alone: as (1)
      ticks += p.ticks.load(sync::relaxed);
    }
    if (iterations == 0) return;
    const auto ratio = [](std::uint64_t of, std::uint64_t by) {
      return static_cast<double>(of) / static_cast<double>(by);
    };
    const double mean = ratio(ticks, iterations);
    const std::uint64_t length = mean_length();
    for (std::uint64_t n = 0; n < parts; ++n) {
      const std::uint64_t count = begin_of(n + 1, length) - begin_of(n, length);
      if (count == 0) continue;
      // (5) relaxed; alone: as (1)
      const std::uint64_t timed = parts_[n].iterations.load(sync::relaxed);
      // (6) relaxed; alone: as (1)
      const std::uint64_t here = parts_[n].ticks.load(sync::relaxed);
      take(count, timed == 0 ? mean : ratio(here, timed));
    }
  }

 private:
  struct part {
    sync::atomic<std::uint64_t> iterations{0};
    sync::atomic<std::uint64_t> ticks{0};
  };

  // Where part n of a loop of that length begins, and the part in which its iteration i lies.
  static std::uint64_t begin_of(std::uint64_t n, std::uint64_t length) {
    return base::ceil_mul_div(length, n, parts);
  }
  static std::uint64_t part_of(std::uint64_t i, std::uint64_t length) {
    std::uint64_t small = 0;
    if (!__builtin_mul_overflow(i, parts, &small)) return small / length;
    return static_cast<std::uint64_t>(base::u128{i} * parts / length);
  }

  bool timed_ = false;
  std::uint64_t told_ = 0;
  std::uint64_t executions_ = 0;      // that they stand for
  std::uint64_t all_iterations_ = 0;  // of all executions
  std::uint64_t iterations_ = 0;      // of the current one
  std::array<part, parts> parts_{};
};

}  // namespace doall::observe
