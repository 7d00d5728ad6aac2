// lbs+: lbs, but a short loop is not shared at all.
//
// Paper: LBS, section 5.1, "LBS+ vs. SI": "We run the parallel version when the total
// estimated computation of the do-all exceeds ten thousand cycles." There the estimate is the
// compiler's for an iteration, times their number, in a check before the loop; here it comes from
// measurements of the loop's site (split_context::too_short).
#pragma once

#include "schedule/lbs.hpp"

namespace doall::schedules {

class lbs_plus : public splitting_rule {
 public:
  using options = lbs::options;

  static constexpr description about = {
      .name = "lbs+",
      .paper = "LBS",
      .summary = "lbs, but a loop of under 10,000 cycles runs where it is met",
      .parameters = lbs::parameters,
      .properties = splitting,
  };

  static params in_tickets(const params& given, u64 size) { return lbs::in_tickets(given, size); }

  explicit lbs_plus(const split_context& loop) : lazily_(loop), too_short_(loop.too_short) {}

  step decide(const part& hand, bool deque_is_empty) const {
    return too_short_ ? run_all(hand) : lazily_.decide(hand, deque_is_empty);
  }

 private:
  lbs lazily_;
  bool too_short_;
};

}  // namespace doall::schedules
