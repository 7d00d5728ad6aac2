// Parallel regions that are too small to gain from a team run with a team of one, where
// the program lets us choose: under dyn-var (OMP_DYNAMIC=true, omp_set_dynamic(1)) the
// standard's number of threads is an upper bound. team/small_loops.hpp has the
// comparison, this file what is particular to regions.
//
// Two times are kept of a region's site, the outlined function: how long it takes alone, and
// how long the caller's part of it takes with a team, which is what the region takes
// but for the burden of its release and join. Where it has barriers inside, the second
// is not the first divided by P; the difference of the two is what a team saves. With
// a team the caller's work, without what it waited in barriers, stands for that of each
// worker, and so for how long the region would take alone.
//
// Of a loop that is all its region does the iterations are known, and both are kept for one
// of them. Other regions do what nobody knows, for GCC compiles loops without a schedule
// clause into them: the times are those of an execution, and the next may be a thousand
// times as long. So an execution alone is always watched, and one that took out of all
// proportion is believed at once: the region is then shared until some dozens of
// executions with a team have shown it to be small again.
//
// Cost: nothing without dyn-var; of a region that runs alone some 25 ns.
#pragma once

#include <cstdint>

#include "team/small_loops.hpp"

namespace doall::omp {

// One execution of a region, as far as its length matters.
class small_region {
 public:
  // Not asked: takes the team that it gets, and learns nothing.
  small_region() = default;

  // Of the region whose outlined function that is, for which a team of `workers` > 1 would
  // be formed. `iterations` is 0 if they are not known.
  small_region(const void* function, std::uint64_t iterations, std::uint32_t workers);

  // Whether a team would not pay.
  bool runs_alone() const { return alone_; }

  // Whether somebody is to measure what the caller waits in barriers.
  bool is_timed() const { return watched_; }

  // Around the caller's part, in this order; `workers` are those of the team there is.
  void begin();
  void end(std::uint32_t workers, std::uint64_t waited_ticks);

 private:
  team::loop_cost* cost_ = nullptr;           // alone
  team::loop_cost* together_cost_ = nullptr;  // of the caller's part, with a team
  std::uint64_t iterations_ = 1;
  std::uint64_t entered_ticks_ = 0;
  bool one_execution_ = false;  // is what the times are kept for
  bool alone_ = false;
  bool watched_ = false;
  bool due_ = false;  // for what it teaches, be it usual
};

}  // namespace doall::omp
