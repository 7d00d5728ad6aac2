// mod-factoring: factoring, but in each phase worker w takes chunk w if it can.
//
// Paper: AFS, section 2.3 (modified factoring). The phases are factoring's. In each, a worker takes
// the chunk with its own number; if that is gone, the first chunk that is not. So with even load an
// iteration has the same worker each time the loop runs. The paper keeps the chunks in one queue,
// whose accesses are "considerably more expensive" than factoring's. Here a chunk has a word of its
// own, so that workers that take their own chunks do not meet, and a worker that finds its chunk
// gone looks through P words.
//
// State: the number of the current phase, from 0; and for each i the number of phases in which
// chunk i was taken, in worker i's line beside the epoch, so that what an earlier loop left there
// counts as none (schedule.hpp: `tagged`). Chunk i of phase j is taken by one compare-and-swap of
// its count from j to j + 1, so once. A worker that has found every chunk of phase j taken moves
// the phase from j to j + 1.
// Invariant: in phase j the count of each of its chunks is j or j + 1, since no phase has more
// chunks than the one before it. A worker that still looks at an earlier phase finds all its chunks
// taken.
//
// Complete: a worker gets an empty chunk when the last phase is over, so when every chunk of every
// phase was taken. There is nothing to initialise and nothing to wait for: a worker that stops
// anywhere delays no other.
// Terminates: each round ends with a chunk or with a later phase, of which there are at most
// factoring_phase::phases_most.
// Cost: own chunk: a read of the phase, which changes log2(N / P) times in a loop, and one
// compare-and-swap in the worker's own line. Another's chunk, or the phase's end, which usually the
// first worker to come back finds for all: up to P reads more. Either goes through the phases from
// the first, as factoring does.
#pragma once

#include "schedule/factoring.hpp"
#include "schedule/schedule.hpp"

namespace doall::schedules {

class mod_factoring {
 public:
  static constexpr description about = {
      .name = "mod-factoring",
      .paper = "AFS",
      .summary = "factoring, each worker the same chunk of a phase every time",
      .properties = keeps_affinity,
  };

  explicit mod_factoring(const loop_context& loop)
      : shape_(loop.shape), lines_(loop.lines), epoch_(loop.epoch) {}

  chunk next(worker w, feedback) {
    u64 number = 0;
    factoring_phase phase(shape_);
    for (;;) {
      // (1) acquire; pairs with (4): a worker that sees a phase sees the counts of the one before
      // it, and does not take older values of them for chunks that are gone
      const u64 current = phase_.load(sync::acquire);
      for (; number < current; ++number) phase.to_next();
      if (!phase.exists()) return nothing_left;

      const u64 chunks = phase.chunks();
      if (w.index < chunks && take(w.index, number)) return phase.at(w.index);
      for (u64 i = 0; i < chunks; ++i) {
        if (take(i, number)) return phase.at(i);
      }
      u64 seen = number;
      // (4) release; pairs with (1): this worker has seen all of the phase's chunks taken. If it
      // fails, another was quicker, and (1) looks again.
      phase_.compare_exchange_strong(seen, number + 1, sync::release, sync::relaxed);
    }
  }

 private:
  static constexpr u64 tag_mask = (u64{1} << worker_line::tag_bits) - 1;
  static_assert(factoring_phase::phases_most <= tag_mask, "a count of phases fits in a tag");

  // Whether this call took chunk i of the phase; if not, it is gone.
  bool take(u64 i, u64 phase) {
    sync::atomic<u64>& word = lines_[i].tagged;
    // (2) relaxed; alone: only a guess for (3), which decides; not older than (1) allows
    u64 seen = word.load(sync::relaxed);
    while (taken(seen) == phase) {
      // (3) relaxed; alone: the count itself is all that is communicated
      if (word.compare_exchange_weak(seen, tagged(phase + 1), sync::relaxed, sync::relaxed)) {
        return true;
      }
    }
    return false;
  }

  u64 tagged(u64 count) const { return epoch_ << worker_line::tag_bits | count; }
  // The number of phases in which a chunk was taken in this loop.
  u64 taken(u64 word) const {
    return word >> worker_line::tag_bits == epoch_ ? word & tag_mask : 0;
  }

  loop_shape shape_;
  worker_line* lines_;
  u64 epoch_;
  alignas(base::line_bytes) sync::atomic<u64> phase_{0};
};

}  // namespace doall::schedules
