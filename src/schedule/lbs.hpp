// lbs: lazy binary splitting.
//
// Paper: LBS, section 3 and Figure 4a. "LBS pushes work on its deque only if it is empty,
// otherwise it postpones the splitting, and keeps the whole TD locally while it works on the
// first ppt iterations": a part that is not stolen yet shows that the others are busy. A part of
// ppt iterations or fewer runs without a split: "creating very small amounts of parallel work is
// never profitable".
//
// ppt, the profitable parallelism threshold, is as many iterations as take T = 1,000 cycles
// (section 3.2): by the compiler's estimate of the loop's code, as there, of a loop that doall's
// plugin compiled; else by measurements of its site (split_context::worth), or as given.
//
// Cost of a decision: two comparisons. A deque holds one part of the loop at most.
#pragma once

#include "schedule/splitting.hpp"

namespace doall::schedules {

class lbs : public splitting_rule {
 public:
  struct options {
    u64 ppt = 0;
  };

  static constexpr few<parameter, most_options> parameters = {
      {.key = "ppt",
       .positional = true,
       .meaning =
           "iterations that are run between two looks; default: those of 1,000 cycles, or N/64P",
       .grain = true,
       .iterations = true}};

  static constexpr description about = {
      .name = "lbs",
      .paper = "LBS",
      .summary = "halves are split off as long as thieves take them",
      .parameters = parameters,
      .properties = splitting,
  };

  // The same threshold in tickets of so many iterations (flat_splitting.hpp).
  static params in_tickets(const params& given, u64 size) {
    return params::of(options{base::ceil_div(given.as<options>().ppt, size)});
  }

  explicit lbs(const split_context& loop)
      : lbs(loop.given.as<options>().ppt == 0 ? loop.worth : loop.given.as<options>().ppt) {}
  explicit lbs(u64 ppt) : ppt_(ppt) {}

  step decide(const part& hand, bool deque_is_empty) const {
    if (hand.size() <= ppt_) return run_all(hand);
    return deque_is_empty ? push_half(hand) : run_first(ppt_);
  }

 private:
  u64 ppt_;
};

}  // namespace doall::schedules
