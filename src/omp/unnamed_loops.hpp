// Loops of a region for which the program names no schedule, and which the compiler leaves to the
// runtime: those that doall's plugin compiled, and Clang's static loops. Under
// DOALL_DEFAULT_SCHEDULE=auto, as `doall run` sets it, `auto` runs them where that pays.
//
// Each thread computes its block of such a loop alone, at no cost; dealing it takes the loop ring
// and steps of a schedule. It pays where decide() (src/decide/README.md) says that a loop is worth
// balancing. The threads must agree who deals
// a loop, so the decision is the region's: whether the mean of its loops is so long. A region that
// runs for the first time deals them, for they may be long. So do all under
// DOALL_SMALL_LOOPS=shared.
//
// The mean is the region's time divided by its unnamed loops. It has a site of its own, of which
// the first executions are timed, then one in 16. What else the region does counts as its loops':
// so a mean is too long rather than too short, which costs the ring's price.
//
// Clang's static loops stay as they are under KMP_DETERMINISTIC_REDUCTION=true: the bits of a sum
// depend on where blocks are cut.
//
// Cost: some 10 ns a region; a clock read twice where it is timed.
#pragma once

#include <cstdint>

#include "omp/state.hpp"
#include "sites/site.hpp"

namespace doall::omp {

// Those of one execution of a region.
class unnamed_loops {
 public:
  // Of a region whose loops are not asked for: they stay static.
  unnamed_loops() = default;

  // Of the region with that outlined function, which would get a team of `workers` > 1. Called
  // before it leases its team: it may measure the burden of a region.
  unnamed_loops(const void* function, std::uint32_t workers);

  unnamed_choice choice() const { return choice_; }

  // Whether that choice stays as it is, and who made it; `none`: it does not.
  observe::reason why() const { return why_; }

  // Called when its threads are released and joined; `met` is how many of them the caller has met.
  void begin();
  void end(std::uint32_t workers, std::uint64_t met);

 private:
  team::loop_cost* cost_ = nullptr;  // of a loop, times the workers; null: not asked for
  std::uint64_t entered_ns_ = 0;
  bool timed_ = false;
  unnamed_choice choice_ = unnamed_choice::compiled;
  observe::reason why_ = observe::reason::none;
};

}  // namespace doall::omp
