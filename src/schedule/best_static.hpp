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
// is the cost of all iterations below i; block 0 at 0. If all costs are 0, blocks are the even
// partition (schedule.hpp). Neighbours that cost nothing cannot be told apart, and all go to one
// worker.
//
// Without costs the blocks are timed, and the next run's are cut by what they took
// (measured_blocks.hpp). In the first run, and without memory, they are the even partition.
//
// State: none; what it remembers of earlier runs is only read while the loop runs, but for each
// worker's own time. Exactly once: where a block ends and where the next one begins is one function
// of a number, evaluated by both neighbours; and it does not decrease, whatever the sums are
// (cost_sums::cut).
// Terminates: one block for each worker. Cost: two bisections, O(log N), or two products; no shared
// access. finish(): without costs, O(P).
// Moves nothing: every worker must come, and the sums must stay while the loop runs.
#pragma once

#include "schedule/measured_blocks.hpp"

namespace doall::schedules {

class best_static {
 public:
  struct options {
    u64 frozen = 0;  // of enum once_made
  };
  static constexpr description about = {
      .name = "best-static",
      .paper = "AFS",
      .summary = "one block for each worker, of equal cost: as told, or as earlier runs took",
      .parameters = {frozen_option},
      .properties = monotonic | uses_costs | adapts | keeps_affinity | remembers,
  };

  explicit best_static(const loop_context& loop)
      : shape_(loop.shape),
        costs_(loop.costs),
        memory_(loop.costs.given() ? nullptr : static_cast<measured_blocks*>(loop.memory)),
        stays_(stays(loop.given.as<options>().frozen)) {}

  chunk next(worker w, feedback last) {
    if (w.turn != 0) {
      if (memory_ != nullptr && last.iterations != 0) memory_->measure(w.index, last.elapsed);
      return nothing_left;
    }
    if (costs_.total() != 0) {
      return {costs_.cut(w.index, shape_.workers), costs_.cut(w.index + 1, shape_.workers)};
    }
    const range mine =
        memory_ != nullptr ? memory_->block(w.index, shape_) : partition_of(w.index, shape_);
    return {mine.begin, mine.end};
  }

  void finish() {
    if (memory_ == nullptr) return;
    using afterwards = measured_blocks::afterwards;
    memory_->settle(shape_, stays_ ? afterwards::stays : afterwards::moves);
  }

  static std::size_t memory_bytes(std::uint32_t workers) { return measured_blocks::bytes(workers); }
  static block_cuts read_cuts(const void* memory, std::uint32_t workers, u64* begins) {
    return static_cast<const measured_blocks*>(memory)->read(workers, begins);
  }
  static void keep_cuts(void* memory, std::uint32_t workers, const u64* begins) {
    static_cast<measured_blocks*>(memory)->keep(workers, begins);
  }

 private:
  loop_shape shape_;
  cost_sums costs_;
  measured_blocks* memory_;  // null: costs were told, or there is none
  bool stays_;               // blocks stay where they are once they are balanced
};

}  // namespace doall::schedules
