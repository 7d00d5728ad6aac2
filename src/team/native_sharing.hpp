// Sharing a native loop among workers.
//
// A loop is shared in one of three ways. One block for each worker rides in the task that
// releases it and needs nothing else. So does such a loop whose parts are combined in the
// join. Any other has a slot of the team's ring (loop_ring.hpp), in which its schedule
// lives. All are for whoever comes (barrier/half_barrier.hpp): no loop waits for a
// worker that has not begun.
#pragma once

#include <cstdint>

#include "doall/abi.h"
#include "schedule/grammar.hpp"
#include "team/small_loops.hpp"

namespace doall::team {

// How long the caller's part of a loop took.
struct stopwatch {
  std::uint64_t iterations = 0;
  std::uint64_t elapsed_ns = 0;
};

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

// For a loop that names no schedule. Not for `none`.
schedules::spec schedule_for(sharing s);

// Runs the loop on up to `wanted` workers; returns what the first body to stop it said.
int share(const start& s, std::uint32_t wanted);

}  // namespace doall::team
