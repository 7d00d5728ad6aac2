// Sharing a native loop among workers.
//
// A loop is shared in one of four ways. One block for each worker rides in the task that
// releases it and needs nothing else. So does such a loop whose parts are combined in the
// join. Any other has a slot of the team's ring (loop_ring.hpp), in which its schedule
// lives. All are for whoever comes (barrier/half_barrier.hpp): no loop waits for a
// worker that has not begun. And a loop whose schedule splits it, or that is nested in another,
// or whose caller finds the crew leased, is stolen from (native_nested.cpp).
#pragma once

#include <cstdint>

#include "doall/abi.h"
#include "schedule/grammar.hpp"
#include "team/small_loops.hpp"
#include "team/stealing.hpp"

namespace doall::team {

// A loop as it is started: perhaps without its first iterations, which have run.
struct start {
  const doall_loop& loop;
  std::uint64_t first = 0;
  schedules::spec how = {};  // which == nullptr: nobody named one
  stopwatch* timed = nullptr;
  bool reported = true;  // if anybody wants a report

  std::uint64_t iterations() const { return loop.iterations - first; }
};

// A loop of the source, for the memory of its earlier runs.
const void* identity_of(const doall_loop& loop);

// What the loop, or who steers it, names; which == nullptr when nobody names one.
schedules::spec named_schedule(const doall_schedule* schedule);

// Whether a nested loop that names this is run by the schedule for nested loops, as it is by
// itself.
bool is_for_nested(const doall_schedule* schedule);

// For a loop that names no schedule. Not for `none`.
schedules::spec schedule_for(sharing s);

// Runs the loop on up to `wanted` workers; returns what the first body to stop it said.
int share(const start& s, std::uint32_t wanted);

// Runs a loop that was started in an iteration of another by stealing (native_nested.cpp).
int run_nested(stealer& me, const doall_loop& loop);

// The same of one that is nested in nothing, for `workers` that may come.
int share_by_stealing(stealer& me, const start& s, std::uint32_t workers);

// Runs a loop's first iterations here, until they have taken as long as a clock can tell, and
// says how long that was. Returns what stopped it, or 0.
int run_first(const doall_loop& loop, stopwatch& seen);

// Runs all of the loop here, and tells its site how long the next may be to be run there. Of loops
// that the schedule for nested loops runs.
int run_whole_timed(const doall_loop& loop, loop_cost& cost, std::uint32_t worker);

}  // namespace doall::team
