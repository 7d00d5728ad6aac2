// trapezoid: chunk sizes fall from N / 2P to 1 by a constant.
//
// Paper: trapezoid self-scheduling (Tzen & Ni) as AFS section 1 describes it,
// with Tzen & Ni's integers: first size f = max(1, floor(N / 2P)), last size
// l = 1, number of chunks n = ceil(2N / (f + l)), and from one chunk to the next
// delta = floor((f - l) / (n - 1)) less, 0 when n = 1.
//
// A counter deals tickets; ticket t is the chunk of f - t delta iterations that
// begins at t f - delta t (t - 1) / 2. Since delta is rounded down, no chunk is
// smaller than l and n chunks hold at least n (f + l) / 2 >= N iterations: they
// cover the loop, and those that would pass its end are cut.
//
// State: the counter. Each ticket is drawn once and its chunk follows from it,
// so chunks are disjoint and adjacent. Tickets drawn by one worker increase.
// Cost: one fetch_add for each chunk, about 4P chunks in all; products in 128 bits.
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace doall::schedules {

class trapezoid {
 public:
  static constexpr description about = {
      .name = "trapezoid",
      .aliases = {"tss", "trapezoidal"},
      .paper = "AFS",
      .summary = "chunks shrink from N/2P to 1 by a constant",
      .properties = monotonic,
  };

  explicit trapezoid(const loop_context& loop)
      : iterations_(loop.shape.iterations),
        first_(std::max<u64>(1, iterations_ / (u64{2} * loop.shape.workers))) {
    const base::u128 doubled = base::u128{2} * iterations_;
    const base::u128 sum = base::u128{first_} + last_;
    chunks_ = static_cast<u64>((doubled + sum - 1) / sum);
    delta_ = chunks_ > 1 ? (first_ - last_) / (chunks_ - 1) : 0;
  }

  chunk next(worker, feedback) {
    // (1) relaxed; alone: the ticket itself is all that is communicated
    const u64 ticket = drawn_.fetch_add(1, sync::relaxed);
    if (ticket >= chunks_) return nothing_left;
    const u64 begin = begin_of(ticket);
    return {begin, begin_of(ticket + 1), 1, origin::central};
  }

 private:
  u64 begin_of(u64 ticket) const {
    const base::u128 t = ticket;
    const base::u128 begin = t * first_ - (t == 0 ? 0 : delta_ * (t * (t - 1) / 2));
    return begin < iterations_ ? static_cast<u64>(begin) : iterations_;
  }

  static constexpr u64 last_ = 1;
  u64 iterations_;
  u64 first_;
  u64 chunks_;
  u64 delta_;
  alignas(base::line_bytes) sync::atomic<u64> drawn_{0};
};

}  // namespace doall::schedules
