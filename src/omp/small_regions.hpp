// A parallel region that is too small to gain from a team runs with a team of one, if the program
// allows it: under dyn-var (OMP_DYNAMIC=true, omp_set_dynamic(1)) the standard's number of threads
// is an upper bound. src/decide has the comparison (way_by_cost) and the burden; this file adds
// what is particular to regions.
//
// A region's site, the outlined function, keeps two times: how long the region takes alone, and how
// long the caller's part takes with a team, which is the region's time without the burden of its
// release and join. If there are barriers inside, the second is not the first divided by P; the
// difference of the two is what a team saves. With a team the caller's work, without its waits in
// barriers, stands for that of each worker, and so for how long the region would take alone.
//
// For a loop that is its whole region the number of iterations is known, and both times are those
// of one iteration. What other regions do is unknown, for GCC compiles loops without a schedule
// clause into them: both times are those of one execution, and the next may take a thousand times
// as long. So every execution alone is timed, and one that took out of all proportion is believed
// immediately: the region then gets a team until some dozens of executions with a team have shown
// it to be small again (loop_cost::learn_warily).
//
// The threads of a team slow a short region down, for each waits for lines that others write. So a
// short region that has a team runs alone now and then, and what it takes alone is learnt from
// those executions only.
//
// Cost: nothing without dyn-var; some 25 ns for a region that runs alone.
#pragma once

#include <cstdint>

#include "sites/site.hpp"

namespace doall::omp {

// Whether a loop that costs this gains so much from a team of `workers` > 1 threads that its
// iterations are worth balancing.
bool is_worth_balancing(team::loop_cost& loop, std::uint32_t workers);

// Keeps that decision.
void freeze(team::loop_cost& loop, std::uint32_t workers);

// One execution of a region, as far as its length matters.
class small_region {
 public:
  // For a region that is not judged: takes the team that it gets, and learns nothing.
  small_region() = default;

  // For the region with that outlined function, which would get a team of `workers` > 1.
  // `iterations` is 0 if their number is not known.
  small_region(const void* function, std::uint64_t iterations, std::uint32_t workers);

  // Whether a team would not pay.
  bool runs_alone() const { return alone_; }

  // Whether to measure how long the caller waits in barriers.
  bool is_timed() const { return watched_; }

  // Called around the caller's part, in this order; `workers` is the size of the actual team.
  void begin();
  void end(std::uint32_t workers, std::uint64_t waited_ticks);

 private:
  team::loop_cost* cost_ = nullptr;           // alone
  team::loop_cost* together_cost_ = nullptr;  // of the caller's part, with a team
  std::uint64_t iterations_ = 1;
  std::uint64_t entered_ticks_ = 0;
  bool one_execution_ = false;  // the times are of an execution, not of an iteration
  bool alone_ = false;
  bool watched_ = false;
  bool is_short_ = false;  // has a team, and its timings alone are believed
  bool due_ = false;       // to be learnt from, even if it is as usual
};

}  // namespace doall::omp
