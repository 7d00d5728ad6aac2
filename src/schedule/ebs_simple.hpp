// ebs-simple: eager binary splitting down to a threshold that the user has to find.
//
// Paper: LBS, section 2.3 and Figure 3, TBB's simple_partitioner (SP): "upon creating, stealing,
// or popping a TD off one's own deque, a processor splits it in two TDs of approximately equal
// number of iterations, and pushes one TD on its deque. Then it continues splitting the
// remaining TD until some threshold": a part of sst iterations or fewer is run. sst is 1 unless
// it is given, as in TBB and Cilk++: a part for every iteration.
#pragma once

#include <algorithm>

#include "schedule/splitting.hpp"

namespace doall::schedules {

class ebs_simple : public splitting_rule {
 public:
  struct options {
    u64 sst = 0;
  };

  static constexpr description about = {
      .name = "ebs-simple",
      .paper = "LBS",
      .summary = "split in halves at once, down to a threshold",
      .parameters = {{.key = "sst",
                      .positional = true,
                      .meaning = "a part of so many iterations is not split; default 1",
                      .iterations = true}},
      .properties = splitting,
  };

  // The same threshold in tickets of so many iterations (flat_splitting.hpp).
  static params in_tickets(const params& given, u64 size) {
    return params::of(options{base::ceil_div(given.as<options>().sst, size)});
  }

  static constexpr bool rather_flat = true;

  explicit ebs_simple(const split_context& loop)
      : sst_(std::max<u64>(loop.given.as<options>().sst, 1)) {}

  step decide(const part& hand, bool /*deque_is_empty*/) const {
    return hand.size() > sst_ ? push_half(hand) : run_all(hand);
  }

 private:
  u64 sst_;
};

}  // namespace doall::schedules
