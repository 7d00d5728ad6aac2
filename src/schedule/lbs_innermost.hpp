// lbs-innermost: lazy binary splitting as its paper decides it.
//
// Paper: LBS, section 3. The worker asks whether its own deque is empty, and then splits what it
// has of the loop that it is in, the innermost one. `lbs` has the same rule, but what is split is
// the outermost loop of which the worker has something in hand, and nested loops of native programs
// ask whether a thief has come and not whether the deque is empty (src/steal/README.md).
// A loop that stands alone is cut alike by both.
#pragma once

#include "schedule/lbs.hpp"

namespace doall::schedules {

class lbs_innermost : public lbs {
 public:
  static constexpr bool offers_outermost = false;

  static constexpr description about = {
      .name = "lbs-innermost",
      .paper = "LBS",
      .summary = "lbs as in its paper: a worker splits the innermost of its nested loops",
      .parameters = parameters,
      .properties = splitting,
  };

  using lbs::lbs;
};

}  // namespace doall::schedules
