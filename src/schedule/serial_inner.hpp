// serial-inner: the encountering thread executes a nested loop immediately, and whole.
//
// Paper: LBS, section 5.1: "Serializing Inner parallelism (SI) simply serializes all inner
// do-all loops", as some OpenMP implementations do.
//
// The paper's machine dealt the iterations of the outermost loop in hardware, one at a time, to
// idle processors. Here the outermost loop is split lazily down to single iterations (lbs with a
// threshold of 1), so that a comparison is about the inner loops alone.
#pragma once

#include "schedule/lbs.hpp"

namespace doall::schedules {

class serial_inner : public splitting_rule {
 public:
  static constexpr description about = {
      .name = "serial-inner",
      .paper = "LBS",
      .summary = "lbs,1, but a loop inside of a loop runs where it is met",
      .properties = splitting,
  };

  explicit serial_inner(const split_context& loop) : nested_(loop.nested) {}

  step decide(const part& hand, bool deque_is_empty) const {
    return nested_ ? run_all(hand) : lbs(u64{1}).decide(hand, deque_is_empty);
  }

 private:
  bool nested_;
};

}  // namespace doall::schedules
