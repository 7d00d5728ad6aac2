// cyclic: iteration i runs on worker i mod P.
//
// Paper: none; OpenMP's static schedule with chunks of 1, the classic answer to costs that rise or
// fall along the loop. Unlike `static,1` it gives a worker all its iterations w, w + P, w + 2 P,
// ... at once, as one strided chunk.
//
// State: none; a chunk follows from the worker's index. Exactly once because each iteration has one
// remainder. Terminates: the second turn gets nothing.
// Cost: O(1), no shared access. Moves nothing: a worker that never comes leaves its partition
// undone, so every worker must come.
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

class cyclic {
 public:
  static constexpr description about = {
      .name = "cyclic",
      .paper = "OpenMP",
      .summary = "every P-th iteration is the same worker's; no sharing",
      .properties = monotonic | keeps_affinity,
  };

  explicit cyclic(const loop_context& loop) : shape_(loop.shape) {}

  chunk next(worker w, feedback) const {
    if (w.turn != 0 || w.index >= shape_.iterations) return nothing_left;
    return {w.index, shape_.iterations, shape_.workers};
  }

 private:
  loop_shape shape_;
};

}  // namespace doall::schedules
