// What the report counts of a region's workers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "observe/site.hpp"
#include "observe/trace.hpp"
#include "omp/state.hpp"

namespace doall::omp {

// What a worker that leaves the region has done in it.
inline observe::tally tally_of(const task_state& me, std::uint64_t entered_ticks) {
  const std::uint64_t inside = base::ticks() - entered_ticks;
  const std::uint64_t waited = std::min(inside, me.waited_ticks);
  return {.inside_ticks = inside,
          .busy_ticks = inside - waited,
          .entered_ticks = entered_ticks,
          .left_ticks = entered_ticks + inside,
          .waited_ticks = waited,
          .lane = observe::trace::lane_here(),
          .stay = {}};
}

// The threads that may execute the region at the same time: those of the regions around it,
// multiplied. 0: there is none.
inline std::uint32_t outer_threads(const region& of) {
  std::uint32_t threads = 0;
  for (const task_state* in = of.parent; in != nullptr && in->team->level != 0;
       in = in->team->parent)
    threads = std::max(1U, threads) * in->team->size;
  return threads;
}

// Counts what a worker does in the region, if a report is wanted. A region that is one loop is
// counted as that loop.
class region_count {
 public:
  explicit region_count(task_state& me) : me_(me), on_(me.team->counted != nullptr) {
    if (on_) entered_ticks_ = base::ticks();
  }
  ~region_count() {
    if (on_) me_.team->tallies[me_.index] = tally_of(me_, entered_ticks_);
  }

 private:
  task_state& me_;
  bool on_;
  std::uint64_t entered_ticks_ = 0;
};

}  // namespace doall::omp
