// ebs-auto: eager binary splitting into a number of chunks that follows from the machine.
//
// Paper: LBS, sections 1 and 2.3, TBB's auto_partitioner (AP): "When executing a do-all loop and
// creating its TD, chunks is initialized to K x P. Every time the TD is split, chunks is
// also halved, and when a TD is stolen chunks is forced to be at least V [...]. A TD is not
// split further if chunks <= 1. K and V are set to four". In a loop inside of another it asks
// for K P chunks all the same, which is what LBS holds against it.
//
// An odd number of chunks is halved as iterations are, into two that make it up (the part
// that is kept having the more), so that K P parts are made where nobody steals. An
// iteration is a chunk at least.
#pragma once

#include <algorithm>

#include "schedule/splitting.hpp"

namespace doall::schedules {

class ebs_auto : public splitting_rule {
 public:
  explicit ebs_auto(const split_context& loop)
      : chunks_(base::saturating_mul(loop.given.k == 0 ? usual : loop.given.k, loop.shape.workers)),
        stolen_chunks_(loop.given.v == 0 ? usual : loop.given.v) {}

  part whole(u64 iterations) const { return {0, iterations, chunks_}; }

  part stolen(part loot) const {
    loot.chunks = std::max(loot.chunks, stolen_chunks_);
    return loot;
  }

  void cut(u64 keep, part& kept, part& rest) const {
    splitting_rule::cut(keep, kept, rest);
    rest.chunks = kept.chunks / 2;
    kept.chunks -= rest.chunks;
  }

  step decide(const part& hand, bool /*deque_is_empty*/) const {
    return hand.chunks > 1 && hand.size() > 1 ? push_half(hand) : run_all(hand);
  }

 private:
  static constexpr u64 usual = 4;  // K and V in the paper, and in TBB at that time

  u64 chunks_;
  u64 stolen_chunks_;
};

}  // namespace doall::schedules
