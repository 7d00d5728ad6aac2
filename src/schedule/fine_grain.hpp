// Fine-grain: one block for each worker, for loops so short that a launch is their price.
//
// Paper: fine-grain, section 3. Nothing is decided while the loop runs: who runs what
// follows from the loop's length and the worker's number. What makes the schedule is around
// it: the task rides in the word that releases a worker, along a tree by NUMA domain
// (barrier/half_barrier.hpp), reductions are combined in the join (doall/reduce.hpp), a loop
// met inside of other parallel work runs on its caller, and one met inside of a domain's
// part on that domain's workers (doall/domains.hpp).
//
// Where it differs from the paper: which loops are fine-grain is not the programmer's to
// say but measured (team/small_loops.hpp); and its blocks may be run by whoever comes.
// It deals as `static` does, and is a schedule of its own for who asks for it by name and
// for reports.
//
// State: none. Terminates: a worker is dealt one block. Cost: O(1), no shared access.
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

class fine_grain {
 public:
  explicit fine_grain(const loop_context& loop) : shape_(loop.shape) {}

  chunk next(worker w, feedback) const {
    if (w.turn != 0) return nothing_left;
    const share mine = share_of(w.index, shape_);
    return {mine.begin, mine.end};
  }

 private:
  loop_shape shape_;
};

}  // namespace doall::schedules
