// From the costs that a loop was told to the sums that its schedule uses.
//
// Told: running sums, or costs one by one (include/doall/abi.h, doall_costs). Schedules with the
// property uses_costs want running sums of the whole loop; wsrw's cyclic lists also want sums by
// owner. The user's running sums are used as they are. All others are made before the loop, in
// parallel: first the sums of a partition each (cost_making.hpp), then those of a list each
// (schedule/cows/costs_by_owner.hpp). The opener alone makes them for a loop of fewer than
// parallel_from iterations, which takes no longer than a launch or two, and for a worksharing loop
// that a team meets inside its region, whose workers wait for the opener. Sums are kept for the
// next loop (kept_costs.hpp).
//
// COWS's optimisations:
//   Opt1  costs that are recognised are not summed up again
//   Opt2  all iterations cost the same, as a hint says, or as their sums have shown: wsrw's cyclic
//         lists are balanced from the start, and `cyclic` deals them without sums
//   Opt3  costs say little, for a hint says that a test guards the body: wsri runs; given running
//         sums still limit what it reserves at once (schedule/cows/list_costs.hpp)
// Where sums would cost more than they save, they are not made, and wsri runs: if costs are whole
// numbers with an average of cheap_average or less (a vertex with its two or three edges). Sums
// that are made once and used often would pay, so this does not apply if the user gives a
// generation. The average is exact for running sums, else estimated from at most 4,096 costs.
//
// Costs that are negative, not a number, infinite, too large to be added up, or of another number
// of iterations are reported once and not used: wsrw runs as wsri, the others as without costs.
// best-static without costs goes by how long its blocks have taken (schedule/measured_blocks.hpp).
//
// Callers: any thread; with_costs() before the loop, give_back(held) after it.
#pragma once

#include <cstdint>

#include "costs/kept_costs.hpp"
#include "doall/abi.h"
#include "schedule/grammar.hpp"

namespace doall::costs {

inline constexpr std::uint64_t parallel_from = std::uint64_t{1} << 14;
inline constexpr std::uint64_t cheap_average = 3;

// The schedule and costs by which to run a loop.
struct costed_loop {
  schedules::spec how;
  schedules::cost_sums costs{};
  kept_costs* held = nullptr;  // owns them; null: the user does
};

// A team that makes pieces in parallel: run(team, make, job) calls make(job, p) for each p from 0
// to the loop's workers - 1, perhaps for some beyond, and returns when all have ended. Null: there
// is none.
struct cost_makers {
  void (*run)(void* team, void (*make)(void* job, std::uint32_t piece), void* job) = nullptr;
  void* team = nullptr;
};

// Decides how to run a loop that was told these costs; `told` may be null. Keeps no reference to
// `told`, but for the running sums in it. Allocates nothing when such a loop has run before.
// Of a loop that is dealt in cells of so many iterations, shape and costs are of cells; numbers in
// `how`, and in the answer, are of iterations. `indices`: as doall_loop's.
costed_loop with_costs(const schedules::spec& how, schedules::loop_shape shape,
                       const doall_costs* told, const cost_makers& makers,
                       std::uint64_t indices = 0, std::uint64_t cell = 1) noexcept;

// Names costs for this thread's next loop; null: none. Whether there are such costs, and takes
// them, once.
void name_costs(const doall_costs* costs);
bool costs_are_named();
bool take_named_costs(doall_costs& costs);

// How often loops were given costs since the process began. For tests.
struct cost_counts {
  std::uint64_t made = 0;    // by making sums, also if they turned out to be uniform or wrong
  std::uint64_t reused = 0;  // from kept sums, or from what was known of the costs
};
cost_counts count_costs();

}  // namespace doall::costs
