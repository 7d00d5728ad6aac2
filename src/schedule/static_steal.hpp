// static-steal: every worker begins with its partition of the loop's chunks and takes them one at a
// time. A worker that has none left steals half of what another has.
//
// The name is libomp's, for `dynamic` with the modifier nonmonotonic: static's partitions, evened
// out by stealing. A thief steals as much as COWS's WSRI does: the victim keeps the front half,
// rounded down. Unlike libomp's, it needs one word and no lock for any type of loop. Unlike COWS's,
// a single chunk can be stolen, and the victim is the first in a round that has something, not the
// one that has most.
//
// It deals tickets, one for each chunk, as dynamic does: ticket t is the chunk [t c, t c + c), so
// chunks have c iterations whichever worker runs them, but for the loop's last. Worker w's
// partition is partition_of(w) of the tickets; of the iterations, if c = 1.
//
// State for each worker: a run of tickets (stolen_runs.hpp: exactly once, balance, termination).
// Hence there are at most tickets_most: a loop of more chunks gets larger ones, of a
// tickets_most-th of the loop.
//
// Cost: own chunk: one fetch_add on a line that only thieves share. Stolen chunk: stolen_runs.hpp.
// What was rejected: docs/investigations/2026-11-22-dynamic-by-stealing.md.
#pragma once

#include <algorithm>

#include "schedule/dynamic.hpp"
#include "schedule/stolen_runs.hpp"

namespace doall::schedules {

class static_steal {
 public:
  struct options {
    u64 chunk = 0;  // dynamic's first, for it may serve in its place
  };

  static constexpr description about = {
      .name = "static-steal",
      .paper = "OpenMP",
      .summary = "own partition first, a chunk at a time; then half of what another has left",
      .parameters = dynamic::chunk_alone,
  };

  explicit static_steal(const loop_context& loop)
      : iterations_(loop.shape.iterations),
        size_(std::max({u64{1}, loop.given.as<options>().chunk,
                        base::ceil_div(iterations_, stealable_run::tickets_most)})),
        tickets_{base::ceil_div(iterations_, size_), loop.shape.workers},
        runs_(loop) {}

  chunk next(worker w, feedback) {
    const auto first_part = [this](std::uint32_t of) { return partition_of(of, tickets_); };
    if (!runs_.arrive(w.index, first_part, thefts_)) return nothing_left;
    const chunk own = usual(w);
    if (!own.empty()) return own;
    const auto one = [](range) { return u64{1}; };
    const stolen_tickets found = runs_.steal(w.index, 1, first_part, one, thefts_);
    if (found.tickets.size() == 0) return nothing_left;
    chunk stolen = chunk_of(found.tickets.begin);
    stolen.from = origin::stolen;
    stolen.victim = found.victim;
    return stolen;
  }

  // The short way for a worker that has a ticket (schedule.hpp).
  chunk usual(worker w) {
    if (!runs_.is_ready(w.index)) return nothing_left;
    const range mine = runs_.of(w.index).take();
    return mine.size() == 0 ? nothing_left : chunk_of(mine.begin);
  }

 private:
  chunk chunk_of(u64 ticket) const {
    const u64 begin = ticket * size_;
    return {begin, ticket + 1 == tickets_.iterations ? iterations_ : begin + size_};
  }

  u64 iterations_;
  u64 size_;            // iterations of a chunk; the last one may be shorter
  loop_shape tickets_;  // its `iterations` are tickets
  stolen_runs runs_;
  thefts thefts_;
};

}  // namespace doall::schedules
