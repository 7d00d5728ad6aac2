// dynamic: idle workers take the next c iterations from a common counter.
//
// Papers: self-scheduling (c = 1) and uniform-sized chunking (c > 1), both as
// AFS section 1 describes them.
//
// The counter deals tickets, one a chunk, and not iterations: ticket t is the
// chunk [t c, t c + c). A worker overdraws at most once, since empty is final,
// so the counter never passes ceil(N / c) + P; that this cannot wrap where N is
// near 2^64 and c = 1 follows from 2^64 draws not being reached.
//
// State: the counter. Each ticket is drawn once (one read-modify-write), so
// chunks are disjoint and cover [0, N). Tickets drawn by one worker increase.
// Cost: one fetch_add a chunk, on a line that all workers share.
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

class dynamic {
 public:
  explicit dynamic(const loop_context& loop)
      : iterations_(loop.shape.iterations),
        size_(loop.given.chunk == 0 ? 1 : loop.given.chunk),
        whole_(iterations_ / size_) {}

  chunk next(worker, feedback) {
    // (1) relaxed; alone: the ticket itself is all that is communicated
    const u64 ticket = drawn_.fetch_add(1, sync::relaxed);
    const u64 begin = ticket * size_;
    if (ticket < whole_) [[likely]]
      return {begin, begin + size_, 1, origin::central};
    // The chunk after the whole ones is what is left, perhaps nothing.
    if (ticket > whole_) return nothing_left;
    return {begin, iterations_, 1, origin::central};
  }

 private:
  u64 iterations_;
  u64 size_;
  u64 whole_;  // chunks of size_ iterations; the last one may be shorter
  alignas(base::line_bytes) sync::atomic<u64> drawn_{0};
};

}  // namespace doall::schedules
