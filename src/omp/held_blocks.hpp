// What static loops of one region share under a schedule that learns from run to run: the cuts.
//
// OpenMP promises that loops with schedule(static) in one region that have as many iterations give
// each thread the same ones; programs rely on it when they leave a loop with `nowait`. Clang's code
// does not tell such a loop from one that names no schedule. So all of a region's static loops of
// one length are one run: they are cut by what earlier regions have measured, a thread's time is
// the sum over them, and the next region's cuts are made when the threads have joined. What is
// remembered belongs to the site of the first of them. A program that is one long region learns
// nothing.
//
// State: the memory that the region holds, by length. Written by the threads that open the loops,
// one after the other (loop_ring.hpp: a thread opens a loop after it has seen the one before it
// opened, which orders them), and by the leader after the join. Bounded: loops of further lengths,
// or whose memory another region holds, are all cut as in their first run.
// What one number a block can say: docs/investigations/2026-11-25-cuts-from-measured-times.md.
#pragma once

#include <array>
#include <cstdint>

#include "loops/loop_ring.hpp"

namespace doall::omp {

class held_blocks {
 public:
  // For a loop at that place, called by its opener. Null: the schedule remembers nothing.
  const team::held_memory* of(const schedules::spec& how, const schedules::loop_shape& shape,
                              const team::site_key& first_place) {
    if (how.which->memory_bytes == nullptr || shape.workers == 1) return nullptr;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (all_[i].shape.iterations == shape.iterations && all_[i].how == how) return &all_[i];
    }
    if (count_ == most) return &none;
    all_[count_] = {how, shape, team::borrow_memory(first_place, how, shape.workers)};
    return &all_[count_++];
  }

  // The region has ended. Its times count unless threads may have left loops early.
  void end(bool counts) {
    for (std::uint32_t i = 0; i < count_; ++i) team::end_run(all_[i], counts);
    count_ = 0;
  }

 private:
  static constexpr std::uint32_t most = 8;
  static constexpr team::held_memory none{};

  std::array<team::held_memory, most> all_;
  std::uint32_t count_ = 0;
};

}  // namespace doall::omp
