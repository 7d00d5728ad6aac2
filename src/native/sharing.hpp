// Sharing a native loop among workers.
//
// A loop is shared in one of four ways:
//   - one block for each worker: the task that releases the worker carries all that it needs
//   - the same, and the blocks are combined, or joined, as workers are joined
//   - by any other schedule, in a slot of the team's ring (loop_ring.hpp), where the schedule's
//     object lives
//   - by stealing (nested.cpp), if its schedule splits it, it is nested in another loop, or
//     its caller finds the pool leased
// The first three are for whoever comes (barrier/half_barrier.hpp): no loop waits for a worker that
// has not begun.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "decide/burdens.hpp"
#include "decide/decide.hpp"
#include "doall/abi.h"
#include "schedule/grammar.hpp"
#include "threads/stealing.hpp"

namespace doall::native {

using namespace team;

// A site's cost is that of one of the program's indices, since runs of it may be cut into blocks of
// different lengths. How many indices an iteration of the loop stands for, or so many; and how many
// iterations, at least one, stand for so many indices.
inline double indices_each(const doall_loop& loop) {
  if (loop.indices <= loop.iterations) return 1;
  return static_cast<double>(loop.indices) / static_cast<double>(loop.iterations);
}
inline std::uint64_t indices_in(const doall_loop& loop, std::uint64_t iterations) {
  if (loop.indices <= loop.iterations) return iterations;
  if (iterations == loop.iterations) return loop.indices;
  return static_cast<std::uint64_t>(static_cast<double>(iterations) * indices_each(loop));
}
inline std::uint64_t iterations_in(const doall_loop& loop, std::uint64_t indices) {
  if (loop.indices <= loop.iterations) return indices;
  const double iterations = static_cast<double>(indices) / indices_each(loop);
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(iterations), 1);
}

// A loop to be started, perhaps without its first iterations, which have run.
struct start {
  const doall_loop& loop;
  std::uint64_t first = 0;
  schedules::spec how = {};  // which == nullptr: none is named
  stopwatch* timed = nullptr;
  std::uint64_t worth = 0;  // loop_context::worth
  observe::reason why = observe::reason::none;

  std::uint64_t iterations() const { return loop.iterations - first; }
};

// Tells a site, when a run of it ends, whether this thread met other loops in the iterations that
// it ran.
class nest_watch {
 public:
  explicit nest_watch(loop_cost& cost) : cost_(cost), here_(doall_thread_here()) {
    if (here_ == nullptr) return;
    if (here_->innermost == &here_->outermost) {
      here_->outermost.inside = nullptr;
    } else {
      here_ = nullptr;
    }
  }
  ~nest_watch() {
    if (here_ != nullptr && here_->outermost.inside != nullptr) cost_.note_nests();
  }
  // Of a watched loop that ran as an outermost open loop: it is the one that was begun there, and
  // it has noted itself what it met.
  static void pass_over_open_loop(doall_thread& here) {
    if (here.innermost == &here.outermost) here.outermost.inside = nullptr;
  }
  nest_watch(const nest_watch&) = delete;
  nest_watch& operator=(const nest_watch&) = delete;

 private:
  loop_cost& cost_;
  doall_thread* here_;
};

// How long a piece of a loop takes that is worth an own look at what others do: about a hundred
// times what the look costs. LBS's 1,000 cycles.
inline constexpr double worth_a_look_ns = 400;

// The schedule that the loop names; which == nullptr: none, or `auto`, which is the same. Then
// `given` says whether its choices are frozen.
schedules::spec own_schedule(const doall_schedule* schedule);

// The schedule that the loop names, or the default that the user set; which == nullptr: none, or
// `auto`, as above.
schedules::spec named_schedule(const doall_schedule* schedule);

// Whether a nested loop that names this schedule runs by the unmodified schedule for nested loops.
bool is_for_nested(const doall_schedule* schedule);

// The schedule of a loop that names none, with `auto`'s options. Not for `alone`.
schedules::spec schedule_for(decide::way w, const schedules::params& given);

// Runs the loop in one block for each worker, with nothing to decide or to count. None: it is not
// run, since it is to be combined or counted, or there is no team.
std::optional<int> try_blocks(const doall_loop& loop, std::uint32_t wanted);

// Runs the loop on up to `wanted` workers; returns what the first body to stop it returned.
int run_on_team(const start& s, std::uint32_t wanted);

// Runs an empty loop in blocks on that many workers, with an iteration for each.
decide::empty_run run_empty_blocks(std::uint32_t workers);

// Runs a loop that was started in an iteration of another, by stealing (nested.cpp).
int run_nested(stealer& me, const doall_loop& loop);

// The same for an outermost loop, for up to `workers` workers.
int run_stealable(stealer& me, const start& s, std::uint32_t workers);

}  // namespace doall::native
