// serial-inner: a loop inside of another's iteration runs at once, whole, where it is met.
//
// Paper: LBS, section 5.1: "Serializing Inner parallelism (SI) simply serializes all inner
// do-all loops", as some OpenMP implementations do.
//
// The paper's machine dealt the iterations of the outermost loop in hardware, one at a time, to
// whoever was idle. Here the outermost loop is split lazily down to single iterations (lbs with
// a threshold of 1), so that what is compared is the inner loops alone.
#pragma once

#include "schedule/lbs.hpp"

namespace doall::schedules {

class serial_inner : public splitting_rule {
 public:
  explicit serial_inner(const split_context& loop) : nested_(loop.nested) {}

  step decide(const part& hand, bool deque_is_empty) const {
    return nested_ ? run_all(hand) : lbs(u64{1}).decide(hand, deque_is_empty);
  }

 private:
  bool nested_;
};

}  // namespace doall::schedules
