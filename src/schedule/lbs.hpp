// lbs: lazy binary splitting.
//
// Paper: LBS, section 3 and Figure 4a. "LBS pushes work on its deque only if it is empty,
// otherwise it postpones the splitting, and keeps the whole TD locally while it works on the
// first ppt iterations": a part that nobody has stolen yet says that the others are busy. A part
// of ppt iterations or fewer is run without a split: "creating very small amounts of parallel
// work is never profitable".
//
// ppt, the profitable parallelism threshold, is as many iterations as take T = 1,000 cycles
// (section 3.2): there the compiler's estimate of the loop's code, here what its site
// was measured to take (split_context::worth), or given.
//
// Cost of a decision: two comparisons. A deque holds one part of the loop at most.
#pragma once

#include "schedule/splitting.hpp"

namespace doall::schedules {

class lbs : public splitting_rule {
 public:
  explicit lbs(const split_context& loop)
      : lbs(loop.given.chunk == 0 ? loop.worth : loop.given.chunk) {}
  explicit lbs(u64 ppt) : ppt_(ppt) {}

  step decide(const part& hand, bool deque_is_empty) const {
    if (hand.size() <= ppt_) return run_all(hand);
    return deque_is_empty ? push_half(hand) : run_first(ppt_);
  }

 private:
  u64 ppt_;
};

}  // namespace doall::schedules
