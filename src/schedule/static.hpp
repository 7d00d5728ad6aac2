// static: every worker's iterations are fixed before the loop begins.
//
// Paper: AFS, section 1 ("static scheduling") and Figure 1's assignment.
//   static     worker w runs [ceil(w N / P), ceil((w + 1) N / P)) in one chunk
//   static,c   chunks of c iterations go round robin: worker w runs the chunks
//              w, w + P, w + 2 P, ...
//
// State: none; a chunk follows from the worker's index and turn. Chunks of one worker come in
// increasing order. Terminates: `turn` grows with each call.
// Cost: O(1), no shared access. Moves nothing: a worker that never comes leaves its partition
// undone, so every worker must come.
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

class static_blocks {
 public:
  struct options {
    u64 chunk = 0;
  };

  static constexpr description about = {
      .name = "static",
      .aliases = {"block"},
      .paper = "AFS",
      .summary = "one block for each worker, or chunks round robin; no sharing",
      .parameters = {{.key = "chunk",
                      .positional = true,
                      .meaning = "iterations a chunk, dealt round robin; default: one block each",
                      .iterations = true}},
      .properties = monotonic | keeps_affinity,
  };

  explicit static_blocks(const loop_context& loop)
      : shape_(loop.shape), size_(loop.given.as<options>().chunk) {
    if (size_ != 0) chunks_ = base::ceil_div(shape_.iterations, size_);
  }

  bool restart(const loop_context& loop) const {
    return loop.shape == shape_ && loop.given.as<options>().chunk == size_;
  }

  chunk next(worker w, feedback) const {
    if (size_ == 0) {
      if (w.turn != 0) return nothing_left;
      const range mine = partition_of(w.index, shape_);
      return {mine.begin, mine.end};
    }
    // Chunk turn * P + w exists if it is below chunks_; tested without the product.
    if (w.index >= chunks_ || w.turn > (chunks_ - 1 - w.index) / shape_.workers) {
      return nothing_left;
    }
    const u64 begin = (w.turn * shape_.workers + w.index) * size_;
    return {begin, base::add_up_to(begin, size_, shape_.iterations)};
  }

 private:
  loop_shape shape_;
  u64 size_;        // 0: one block for each worker
  u64 chunks_ = 0;  // of size_ iterations, the last one perhaps shorter
};

}  // namespace doall::schedules
