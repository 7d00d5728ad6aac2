// ebs-simple: eager binary splitting down to a threshold that somebody has to find.
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
  explicit ebs_simple(const split_context& loop) : sst_(std::max<u64>(loop.given.chunk, 1)) {}

  step decide(const part& hand, bool /*deque_is_empty*/) const {
    return hand.size() > sst_ ? push_half(hand) : run_all(hand);
  }

 private:
  u64 sst_;
};

}  // namespace doall::schedules
