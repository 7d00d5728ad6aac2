// ebs-auto: eager binary splitting into a number of chunks that follows from the machine.
//
// Paper: LBS, sections 1 and 2.3, TBB's auto_partitioner (AP): "When executing a do-all loop and
// creating its TD, chunks is initialized to K x P. Every time the TD is split, chunks is
// also halved, and when a TD is stolen chunks is forced to be at least V [...]. A TD is not
// split further if chunks <= 1. K and V are set to four". In a nested loop it makes K P chunks all
// the same, for which LBS criticises it.
//
// An odd number of chunks is halved as iterations are, into two numbers that add up to it (the kept
// part has the larger), so that K P parts are made if nothing is stolen. A chunk has at least one
// iteration.
#pragma once

#include <algorithm>

#include "schedule/splitting.hpp"

namespace doall::schedules {

class ebs_auto : public splitting_rule {
 public:
  struct options {
    u64 k = 0;
    u64 v = 0;
  };

  static constexpr description about = {
      .name = "ebs-auto",
      .paper = "LBS",
      .summary = "split in halves at once, into so many chunks a worker",
      .parameters = {{.key = "k",
                      .positional = true,
                      .meaning = "splits into kP chunks; default 4"},
                     {.key = "v",
                      .positional = true,
                      .meaning = "a stolen part into at least so many; default 4"}},
      .properties = splitting,
  };

  explicit ebs_auto(const split_context& loop)
      : chunks_(base::saturating_mul(or_usual(loop.given.as<options>().k), loop.shape.workers)),
        stolen_chunks_(or_usual(loop.given.as<options>().v)) {}

  part whole(u64 iterations) const { return {0, iterations, chunks_}; }

  part stolen(part taken) const {
    taken.chunks = std::max(taken.chunks, stolen_chunks_);
    return taken;
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
  static u64 or_usual(u64 given) { return given == 0 ? usual : given; }

  u64 chunks_;
  u64 stolen_chunks_;
};

}  // namespace doall::schedules
