// Which executions of a loop or region are counted in detail (site.hpp, `counting`).
//
// A report: the first ones; then of `in` pairs of neighbours one, by chance, for a program's phases
// must not line up with it. Neighbours, because what stays is seen from one execution to the next.
// `in` is a power of two, the least under which detail costs at most 1/128 of the time of the
// executions that had it. A trace wants all. A recording of costs alone marks nothing: it counts
// the first ones, and then one in counted_in.
//
// next() is called by any thread; weigh() under the lock of the sites (site.cpp).
// Cost: one locked addition for each execution.
// What each step of counting costs: docs/investigations/2026-11-26-what-a-report-costs.md.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "base/rng.hpp"
#include "base/sync.hpp"
#include "observe/site.hpp"

namespace doall::observe {

class detail_choice {
 public:
  enum class of : std::uint8_t { report, traced_report, recording };

  counting next(site* s, of what) {
    // (1) relaxed; alone: a count; nothing else is communicated
    const std::uint64_t number = begun_.fetch_add(1, sync::relaxed);
    if (number < counted_first || what == of::traced_report) return detailed(s, 1, number);
    if (what == of::recording) {
      const bool chosen = base::rng(number).next() % counted_in == 0;
      return chosen ? detailed(s, counted_in, number) : counting{};
    }
    // (2) relaxed; alone: a number; nothing else is communicated
    const std::uint32_t in = in_.load(sync::relaxed);
    const std::uint64_t pair = number / 2;
    const bool chosen = in == 1 || base::rng(pair / in).next() % in == pair % in;
    return chosen ? detailed(s, in, number) : counting{s};
  }

  // How many next() has been asked for.
  std::uint64_t begun() const {
    // (3) relaxed; alone: as (1)
    return begun_.load(sync::relaxed);
  }

  // What an execution in detail has cost, beside what it took. The fixed part is what loops of 4 to
  // 15 us were seen to pay, marks left out (docs/investigations): a third of it are readings of the
  // clock, the others lines that move between workers.
  void weigh(std::span<const tally> tallies, const execution_times& when,
             std::uint64_t ticks_of_reading) {
    constexpr std::uint64_t readings_a_loop = 64;
    constexpr std::uint64_t readings_a_chunk = 3;
    constexpr double part_most = 1.0 / 128;
    std::uint64_t most_ticks = 0;
    for (const tally& t : tallies) {
      const std::uint64_t readings = readings_a_chunk * (t.chunks[0] + t.chunks[1] + t.chunks[2]);
      most_ticks = std::max(most_ticks, t.marking_ticks + readings * ticks_of_reading);
    }
    cost_ticks_ += most_ticks + readings_a_loop * ticks_of_reading;
    wall_ticks_ += std::max<std::uint64_t>(when.wall_ticks(), 1);
    const double part = static_cast<double>(cost_ticks_) / static_cast<double>(wall_ticks_);
    const double wanted = std::ceil(std::min<double>(part / part_most, detailed_in_most));
    // (4) relaxed; alone: as (2)
    in_.store(std::bit_ceil(static_cast<std::uint32_t>(wanted)), sync::relaxed);
  }

 private:
  counting detailed(site* s, std::uint32_t stands_for, std::uint64_t number) {
    // (5) relaxed; alone: as (2)
    const bool follows = last_.exchange(number, sync::relaxed) + 1 == number;
    return {s, stands_for, follows};
  }

  sync::atomic<std::uint64_t> begun_{0};
  sync::atomic<std::uint64_t> last_{0};  // in detail
  sync::atomic<std::uint32_t> in_{1};
  std::uint64_t cost_ticks_ = 0;
  std::uint64_t wall_ticks_ = 0;  // of the same executions
};

}  // namespace doall::observe
