// What a loop does with what it was told of its iterations' costs.
//
// Told: running sums, or costs one by one (include/doall/abi.h, doall_costs). Wanted, by schedules
// with the property uses_costs: running sums of the whole loop, and for wsrw's cyclic lists
// sums by owner besides. The user's running sums are used as they are. All else is made before the
// loop, in parallel: the sums of a share each (cost_making.hpp), then of a list each
// (schedule/costs_by_owner.hpp). A loop of fewer than
// parallel_from iterations has its opener make them: that takes no longer than a launch or two. So
// does a worksharing loop that a team meets inside of its region: its workers wait for the opener.
// They are kept for the next loop (kept_costs.hpp).
//
// COWS's optimisations:
//   Opt1  costs that are known again are not summed up again
//   Opt2  iterations that all cost the same, as a hint says, or as their sums have shown: wsrw's
//         cyclic lists are right to begin with, and `cyclic` deals them for nothing
//   Opt3  costs that say little, for a hint says that a test guards the body: wsri; running sums
//         that are there still limit what it reserves at once (schedule/list_costs.hpp)
// And where costs would cost more than they save, they are not summed up, and wsri runs: with an
// average of cheap_average or less, if costs are whole numbers (a vertex with its two or three
// edges). Made once and read often they would pay: not if somebody says a generation. Of
// running sums the average is exact, else of at most 4,096 of them.
//
// Costs that are negative, not a number, infinite, or too many to be added up, or that are of
// another number of iterations, are told once and not used: wsrw runs as wsri, the others as
// without.
//
// Who may call what: any thread; with_costs() before the loop, give_back(held) after it.
#pragma once

#include <cstdint>

#include "doall/abi.h"
#include "schedule/grammar.hpp"
#include "team/kept_costs.hpp"

namespace doall::team {

inline constexpr std::uint64_t parallel_from = std::uint64_t{1} << 14;
inline constexpr std::uint64_t cheap_average = 3;

// A loop as it is to be run.
struct costed_loop {
  schedules::spec how;
  schedules::cost_sums costs{};
  kept_costs* held = nullptr;  // what they are in
};

// Whoever can make pieces side by side: run(team, make, job) calls make(job, p) for each p from 0
// to the loop's workers - 1, perhaps for some beyond, and returns when all have ended. Null:
// nobody.
struct cost_makers {
  void (*run)(void* team, void (*make)(void* job, std::uint32_t piece), void* job) = nullptr;
  void* team = nullptr;
};

// `told`, which may be null, is not referred to afterwards, but for the running sums in it.
// Allocates nothing when such a loop has run before.
costed_loop with_costs(const schedules::spec& how, schedules::loop_shape shape,
                       const doall_costs* told, const cost_makers& makers) noexcept;

// What doall_loop_costs_name() has named on this thread: whether it has, and what, once.
bool costs_are_named();
bool take_named_costs(doall_costs& costs);

// How often loops that wanted costs were given what, since the process began: for tests.
struct cost_counts {
  std::uint64_t made = 0;    // sums, also if they turned out to be uniform or wrong
  std::uint64_t reused = 0;  // or what was known of the costs
};
cost_counts count_costs();

}  // namespace doall::team
