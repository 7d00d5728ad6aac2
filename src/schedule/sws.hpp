// sws: serializing work-stealing. A part is never split, it loses its first iteration.
//
// Paper: LBS, section 2.2: "run only the first iteration and push the continuation on the
// deque, which Cilk does for parallel functions". A worker that wants to take part in the loop
// takes the whole rest from its holder, runs one iteration and is stolen from in its turn: "if more
// than one processors end up working on a TD, they will keep stealing the TD from each-other".
// Taking the next iteration back is one transaction, as pop-half is (footnote 4).
#pragma once

#include "schedule/splitting.hpp"

namespace doall::schedules {

class sws : public splitting_rule {
 public:
  static constexpr description about = {
      .name = "sws",
      .paper = "LBS",
      .summary = "one iteration at a time; a thief takes over the rest",
      .properties = splitting,
  };

  static constexpr bool splits = false;
  static constexpr bool rather_flat = true;

  explicit sws(const split_context&) {}

  step decide(const part& hand, bool /*deque_is_empty*/) const {
    return hand.size() == 1 ? run_all(hand) : step{step::kind::push, 1};
  }
};

}  // namespace doall::schedules
