// order=reverse: deals a schedule's chunks from the loop's other end.
//
// Paper: AFS, section 4.3 and Figure 8 (adjoint convolution by reverse index): if a loop's first
// iterations are the long ones, every schedule balances it when the short ones go first, since what
// is dealt last is then a negligible part of the whole.
//
// The schedule deals the iterations of a loop that is numbered backwards. Its chunks are translated
// to the source's numbers: iteration i is N - 1 - i there. Inside a chunk iterations keep their
// order, and a stride its length. Exactly once because i -> N - 1 - i is one to one.
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

template <class S>
class reversed : public S {
 public:
  explicit reversed(const loop_context& loop)
      : S(backwards(loop)), iterations_(loop.shape.iterations) {}

  chunk next(worker w, feedback last_chunk) {
    chunk c = S::next(w, last_chunk);
    if (c.empty()) return nothing_left;
    const u64 last = c.begin + (c.size() - 1) * c.step;
    c.end = iterations_ - c.begin;
    c.begin = iterations_ - 1 - last;
    return c;
  }

  // The schedule's own usual() would deal forwards.
  chunk usual(worker w) = delete;
  plan plan_ahead(worker w) const = delete;

 private:
  static loop_context backwards(loop_context loop) {
    if (loop.costs.given()) loop.costs = loop.costs.reversed();
    return loop;
  }

  u64 iterations_;
};

}  // namespace doall::schedules
