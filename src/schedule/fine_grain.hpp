// fine-grain: one block for each worker, for loops so short that the launch is most of their cost.
//
// Paper: fine-grain, section 3. Nothing is decided while the loop runs: a worker's block follows
// from the loop's length and the worker's number. The essence of the schedule is around it: the
// word that releases a worker carries the task, along a tree by NUMA domain
// (barrier/half_barrier.hpp); reductions are combined in the join (doall/reduce.hpp); a loop inside
// other parallel work runs on its caller, and a loop inside a domain's part on that domain's
// workers (doall/domains.hpp).
//
// Where it differs from the paper: measurement decides which loops are fine-grain, not the
// programmer (decide/README.md); and any worker that comes may run a block. It deals as
// `static` does, and is a schedule of its own for users that name it and for reports.
//
// State: none. Terminates: a worker is dealt one block. Cost: O(1), no shared access.
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

class fine_grain {
 public:
  static constexpr description about = {
      .name = "fine-grain",
      .aliases = {"finegrain"},
      .paper = "fine-grain",
      .summary = "one block for each worker, for loops of microseconds",
      .properties = monotonic | keeps_affinity,
  };

  explicit fine_grain(const loop_context& loop) : shape_(loop.shape) {}

  bool restart(const loop_context& loop) const { return loop.shape == shape_; }

  chunk next(worker w, feedback) const {
    if (w.turn != 0) return nothing_left;
    const range mine = partition_of(w.index, shape_);
    return {mine.begin, mine.end};
  }

 private:
  loop_shape shape_;
};

}  // namespace doall::schedules
