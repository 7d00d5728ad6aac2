// lbs+: lbs, but a short loop is not shared at all.
//
// Paper: LBS, section 5.1, "LBS+ vs. SI": "We run the parallel version when the total
// estimated computation of the do-all exceeds ten thousand cycles." There the compiler's
// estimate of an iteration, times their number, in a check before the loop; here what the
// loop's site was measured to take (split_context::too_short).
#pragma once

#include "schedule/lbs.hpp"

namespace doall::schedules {

class lbs_plus : public splitting_rule {
 public:
  explicit lbs_plus(const split_context& loop) : lazily_(loop), too_short_(loop.too_short) {}

  step decide(const part& hand, bool deque_is_empty) const {
    return too_short_ ? run_all(hand) : lazily_.decide(hand, deque_is_empty);
  }

 private:
  lbs lazily_;
  bool too_short_;
};

}  // namespace doall::schedules
