// best-static: one block for each worker, cut so that all blocks cost the same.
//
// Paper: BEST-STATIC of AFS, section 4.1, "the best static assignment possible, given complete
// knowledge of the application and its input". There it is made by hand for each program, and its
// blocks need not be contiguous: every worker gets as many of the clique's nodes (Figure 6). Here
// it is computed from the loop's costs, and a block is contiguous, which keeps neighbouring
// iterations together and makes a worker's part two numbers. The balance is perfect but for one
// iteration: a block costs less than total / P plus the most expensive iteration.
//
// Worker w's block begins at the first iteration i with before(i) >= w total / P, where before(i)
// is the cost of all iterations below i; block 0 at 0. Without costs, or if they sum to 0, blocks
// are the even partition (schedule.hpp). Neighbours that cost nothing cannot be told apart, and all
// go to one worker.
//
// State: none. Exactly once: where a block ends and where the next one begins is one function of a
// number, evaluated by both neighbours; and it does not decrease, whatever the sums are
// (cost_sums::cut).
// Terminates: one block for each worker. Cost: two bisections, O(log N), no shared access.
// Moves nothing: every worker must come, and the sums must stay while the loop runs.
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

class best_static {
 public:
  static constexpr description about = {
      .name = "best-static",
      .paper = "AFS",
      .summary = "one block for each worker, of equal cost where costs are given",
      .properties = monotonic | uses_costs | keeps_affinity,
  };

  explicit best_static(const loop_context& loop) : shape_(loop.shape), costs_(loop.costs) {}

  chunk next(worker w, feedback) const {
    if (w.turn != 0) return nothing_left;
    if (!costs_.given() || costs_.total() == 0) {
      const range even = partition_of(w.index, shape_);
      return {even.begin, even.end};
    }
    return {costs_.cut(w.index, shape_.workers), costs_.cut(w.index + 1, shape_.workers)};
  }

 private:
  loop_shape shape_;
  cost_sums costs_;
};

}  // namespace doall::schedules
