// guided: an idle worker takes a fixed part of what is left.
//
// Paper: guided self-scheduling (Polychronopoulos & Kuck) as AFS sections 1 and 4.3 describe it: of
// R iterations left, R / (k P), and at least c. AFS section 4.3 suggests k > 1 for loops whose
// first iterations are the long ones. Rounded up, as OpenMP's runtimes do and Polychronopoulos &
// Kuck did; or down (round=down), which gives as many chunks as AFS's Tables 3 to 5 count.
//
// State: the first iteration not yet dealt. One compare-and-swap takes a chunk, from begin to
// begin + size, so chunks are disjoint and adjacent. Terminates: a failed swap means that another
// worker took a chunk.
// Cost: one compare-and-swap for each chunk, O(k P log(N / (k P))) chunks in all.
#pragma once

#include <algorithm>

#include "schedule/rounding.hpp"
#include "schedule/schedule.hpp"

namespace doall::schedules {

class guided {
 public:
  struct options {
    u64 chunk = 0;
    u64 k = 0;
    u64 round = 0;  // of enum rounding
  };

  static constexpr description about = {
      .name = "guided",
      .aliases = {"gss"},
      .paper = "AFS",
      .summary = "idle workers take a fixed part of what is left",
      .parameters = {{.key = "chunk",
                      .positional = true,
                      .meaning = "least iterations a chunk; default 1",
                      .iterations = true},
                     {.key = "k", .meaning = "takes 1/(kP) of what is left; default 1"},
                     {.key = "round",
                      .meaning = "that part rounded up, the default, or down",
                      .words = rounding_words,
                      .default_word = "up"}},
      .properties = monotonic,
  };

  explicit guided(const loop_context& loop) : rule_(loop) {}

  bool restart(const loop_context& loop) {
    if (!(rule(loop) == rule_)) return false;
    // (3) relaxed; alone: the loop's opening publishes it
    dealt_.store(0, sync::relaxed);
    return true;
  }

  chunk next(worker, feedback) {
    // (1) relaxed; alone: only a guess for (2), which decides
    u64 begin = dealt_.load(sync::relaxed);
    for (;;) {
      if (begin >= rule_.iterations) return nothing_left;
      const u64 end = rule_.end_from(begin);
      // (2) relaxed; alone: the counter itself is all that is communicated
      if (dealt_.compare_exchange_weak(begin, end, sync::relaxed, sync::relaxed)) {
        return {begin, end, 1, origin::central};
      }
    }
  }

 private:
  // Where a chunk ends.
  struct rule {
    u64 iterations;
    u64 least;
    u64 parts;
    rounding round;

    explicit rule(const loop_context& loop)
        : iterations(loop.shape.iterations),
          least(std::max<u64>(loop.given.as<options>().chunk, 1)),
          // A part smaller than one iteration is one iteration, so a product that
          // does not fit may as well be the largest number.
          parts(base::saturating_mul(std::max<u64>(loop.given.as<options>().k, 1),
                                     loop.shape.workers)),
          round(loop.given.as<options>().round == round_down ? round_down : round_up) {}

    u64 end_from(u64 begin) const {
      const u64 left = iterations - begin;
      const u64 part = round == round_up ? base::ceil_div(left, parts) : left / parts;
      return base::add_up_to(begin, std::max(part, least), iterations);
    }
    bool operator==(const rule&) const = default;
  };

  rule rule_;
  alignas(base::line_bytes) sync::atomic<u64> dealt_{0};
};

}  // namespace doall::schedules
