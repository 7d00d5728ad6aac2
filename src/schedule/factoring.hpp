// factoring: deals the loop in phases, each half of what is left, in P equal chunks.
//
// Paper: factoring (Hummel, Schonberg & Flynn) as AFS section 1 describes it: a phase that begins
// with R iterations left deals P chunks of max(1, floor(R / 2P)); the last phase deals what there
// is. AFS's tables count its chunks so.
//
// A counter deals tickets; ticket t is chunk t mod P of phase t / P. To find the iterations, a
// worker goes through the phases from the first, so that only the counter is shared.
//
// State: the counter. Each ticket is drawn once and its chunk follows from it, so chunks are
// disjoint and adjacent. Tickets drawn by one worker increase. The counter never passes
// (phases_most + 1) P, so it does not wrap.
// Cost: one fetch_add and at most log2(N / P) + 2 divisions for each chunk; O(P log(N / P)) chunks
// in all.
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace doall::schedules {

// One of factoring's phases; with no iteration left there are no more.
//
// There are at most 66: P floor(R / 2P) >= R / 2 - P + 1/2 iterations go, so
// what is left above 2P at least halves, and fewer than 2^64 are below 1 after
// 64 phases. Of the 2P or fewer iterations that are left then each phase deals
// P, one a chunk. So all phases but the last have P chunks: where floor(R / 2P)
// is at least 1, P chunks hold no more than R / 2. Products fit in 64 bits.
class factoring_phase {
 public:
  static constexpr unsigned phases_most = 64 + 2;

  explicit factoring_phase(const loop_shape& shape)
      : iterations_(shape.iterations), workers_(shape.workers), left_(iterations_) {
    cut();
  }

  bool exists() const { return left_ != 0; }
  u64 chunks() const { return size_ > 1 ? workers_ : std::min(workers_, left_); }

  // Chunk i of the phase.
  chunk at(u64 i) const {
    const u64 begin = iterations_ - left_ + i * size_;
    return {begin, begin + size_, 1, origin::central};
  }

  void to_next() {
    left_ -= chunks() * size_;
    cut();
  }

 private:
  void cut() { size_ = std::max<u64>(1, left_ / (2 * workers_)); }

  u64 iterations_;
  u64 workers_;
  u64 left_;  // when the phase begins
  u64 size_ = 0;
};

class factoring {
 public:
  static constexpr description about = {
      .name = "factoring",
      .paper = "AFS",
      .summary = "in phases: half of what is left in P equal chunks",
      .properties = monotonic,
  };

  explicit factoring(const loop_context& loop) : shape_(loop.shape) {}

  chunk next(worker, feedback) {
    // (1) relaxed; alone: the ticket itself is all that is communicated
    u64 ticket = drawn_.fetch_add(1, sync::relaxed);
    for (factoring_phase phase(shape_); phase.exists(); phase.to_next()) {
      if (ticket < phase.chunks()) return phase.at(ticket);
      ticket -= phase.chunks();
    }
    return nothing_left;
  }

 private:
  loop_shape shape_;
  alignas(base::line_bytes) sync::atomic<u64> drawn_{0};
};

}  // namespace doall::schedules
