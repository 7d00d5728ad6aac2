// A parallel region that is too small to gain from a team runs with a team of one, if the program
// allows it: under dyn-var (OMP_DYNAMIC=true, omp_set_dynamic(1)) the standard's number of threads
// is an upper bound. decide() says which (src/decide/README.md); this file measures regions.
//
// A region's site is its outlined function. Its indices are the iterations of a loop that is all of
// the region; one otherwise, for GCC compiles loops without a schedule clause into regions. A
// region that has begun alone cannot be shared any more (facts::may_recall).
//
// With a team the caller's work, without its waits in barriers, stands for that of each worker, and
// so for how long the region would take alone, until it has run alone.
//
// Cost: nothing without dyn-var; some 25 ns for a region that runs alone.
#pragma once

#include <cstdint>

#include "decide/site_times.hpp"
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

  // For the region with that outlined function, which would get a team of `workers` > 1, and begins
  // now. `iterations` is 0 if their number is not known.
  small_region(const void* function, std::uint64_t iterations, std::uint32_t workers);

  // Whether a team would not pay.
  bool runs_alone() const { return by_.how == decide::way::alone; }

  // Whether to measure how long the caller waits in barriers.
  bool is_timed() const { return guesses_; }

  // Called when it has ended; `workers` is the size of the actual team.
  void end(std::uint32_t workers, std::uint64_t waited_ticks) const;

 private:
  decide::site_times* times_ = nullptr;  // null: it is not judged
  std::uint64_t indices_ = 1;
  decide::verdict by_{.how = decide::way::balanced};
  double burden_ns_ = 0;
  std::uint64_t began_ticks_ = 0;
  bool guesses_ = false;         // with a team: nobody knows how long it takes alone
  bool is_one_of_many_ = false;  // if it is short: not learnt
};

}  // namespace doall::omp
