// adaptive-guided: guided's sizes, but neighbouring iterations go to different workers, and a
// worker that fails to get a chunk backs off.
//
// Paper: adaptive guided self-scheduling (Eager & Zahorjan) as AFS section 1 describes it:
// "assigning consecutive iterations to different processors", so that a stretch of long iterations
// is not one worker's; and "a back-off method to reduce the number of processors competing for
// iterations during periods of contention". AFS gives no details of either; this file chooses them.
//
// Chunks are strided. The iterations are dealt in another order: first those with remainder 0
// modulo P (0, P, 2P, ...), then those with remainder 1, and so on. Of R that are left in this
// order, a worker takes ceil(R / P) as guided does, but no more than have the same remainder: that
// is one chunk of step P. With two workers or more, iterations i and i + 1 are never in one chunk.
//
// A claim is one compare-and-swap. A worker whose claim fails, because another's came first, waits
// before it looks and tries again, twice as long after each failure up to a bound; meanwhile it
// does not compete. An uncontended claim never waits. failed_claims() and pauses() count these.
//
// State: how many iterations were dealt; position -> iteration is one to one, and chunks are
// disjoint and adjacent in positions. Not monotonic: remainder 1 begins at iteration 1.
// Terminates: a failed swap means that another worker took a chunk, and waits are bounded.
// Cost: one compare-and-swap and two divisions for each chunk, O(P log(N / P)) chunks, of which at
// most P - 1 are cut short by the end of a remainder's iterations.
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace doall::schedules {

class adaptive_guided {
 public:
  static constexpr description about = {
      .name = "adaptive-guided",
      .aliases = {"agss"},
      .paper = "AFS",
      .summary =
          "guided with every P-th iteration in a chunk; a worker that fails to get one waits",
  };

  explicit adaptive_guided(const loop_context& loop)
      : iterations_(loop.shape.iterations),
        workers_(loop.shape.workers),
        rows_(iterations_ / workers_),
        longer_(iterations_ % workers_) {}

  chunk next(worker, feedback) { return claim(dealt()); }

  // How often a claim failed because another worker's came first.
  u64 failed_claims() const {
    // (3) relaxed; alone: a statistic, read after the loop
    return failed_claims_.load(sync::relaxed);
  }

  // How many pauses (sync::relax) all workers made after failed claims.
  u64 pauses() const {
    // (4) relaxed; alone: as (3)
    return pauses_.load(sync::relaxed);
  }

  // How many pauses a worker makes after that many failures in a row. The longest wait is some
  // microseconds: longer than a line takes to settle between many cores, shorter than waking a
  // thread.
  static constexpr unsigned pauses_after(unsigned failed) {
    return failed < 6 ? 1U << failed : 1U << 6;
  }

 protected:
  // How many iterations were dealt, as far as this worker knows.
  u64 dealt() const {
    // (1) relaxed; alone: only a guess for (2), which decides
    return dealt_.load(sync::relaxed);
  }

  // Claims the chunk that begins at position `begin`, or, if other workers are quicker, where they
  // leave off.
  chunk claim(u64 begin) {
    for (unsigned failed = 0; begin < iterations_; begin = dealt()) {
      const place from = place_of(begin);
      const u64 size = std::min(base::ceil_div(iterations_ - begin, workers_), from.left);
      // (2) relaxed; alone: the count itself is all that is communicated
      if (dealt_.compare_exchange_strong(begin, begin + size, sync::relaxed, sync::relaxed)) {
        const u64 last = from.iteration + (size - 1) * workers_;
        return {from.iteration, last + 1, workers_, origin::central};
      }
      back_off(++failed);
    }
    return nothing_left;
  }

 private:
  // The iteration at a position, and how many from there on have its remainder.
  struct place {
    u64 iteration;
    u64 left;
  };

  place place_of(u64 position) const {
    // The first N mod P remainders have one iteration more than the others.
    const u64 in_longer = longer_ * (rows_ + 1);
    if (position < in_longer) return place_in(0, rows_ + 1, position);
    return place_in(longer_, rows_, position - in_longer);
  }

  // The same among remainders `first` and up, which have `each` iterations.
  place place_in(u64 first, u64 each, u64 position) const {
    const u64 row = position % each;
    return {first + position / each + row * workers_, each - row};
  }

  void back_off(unsigned failed) {
    const unsigned pauses = pauses_after(failed);
    for (unsigned i = 0; i < pauses; ++i) sync::relax();
    // (5) relaxed; alone: counts; on a line that only workers whose claim failed touch
    failed_claims_.fetch_add(1, sync::relaxed);
    // (6) relaxed; alone: as (5)
    pauses_.fetch_add(pauses, sync::relaxed);
  }

  u64 iterations_;
  u64 workers_;
  u64 rows_;    // iterations that every remainder has
  u64 longer_;  // remainders with one more
  alignas(base::line_bytes) sync::atomic<u64> dealt_{0};
  alignas(base::line_bytes) sync::atomic<u64> failed_claims_{0};
  sync::atomic<u64> pauses_{0};
};

}  // namespace doall::schedules
