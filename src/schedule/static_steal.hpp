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
// State for each worker: a run of tickets (stealable_run.hpp: exactly once). Hence there are at
// most tickets_most: a loop of more chunks gets larger ones, of a tickets_most-th of the loop.
//
// The first worker to touch a word brings it up to date (base/first_touch.hpp), so the partition of
// a worker that has not arrived can be stolen.
//
// Balance: a chunk in a word can be stolen, down to the last. No worker leaves while a word holds
// any, or a thief carries some from word to word (thefts.hpp): then a worker that finds nothing
// looks again.
// Terminates: a cut fails only because another worker took something. A worker looks again as
// thefts.hpp says.
//
// Cost: own chunk: one fetch_add on a line that only thieves share. Stolen chunk: a look at the
// workers from the next one on, until one has something, a compare-and-swap, and two additions on
// one line.
#pragma once

#include <algorithm>

#include "schedule/dynamic.hpp"
#include "schedule/schedule.hpp"
#include "schedule/stealable_run.hpp"
#include "schedule/thefts.hpp"

namespace doall::schedules {

class static_steal {
 public:
  using options = dynamic::options;  // it may serve in the place of dynamic

  static constexpr description about = {
      .name = "static-steal",
      .paper = "OpenMP",
      .summary = "own partition first, a chunk at a time; then half of what another has left",
      .parameters = dynamic::parameters,
  };

  explicit static_steal(const loop_context& loop)
      : iterations_(loop.shape.iterations),
        size_(std::max({u64{1}, loop.given.as<options>().chunk,
                        base::ceil_div(iterations_, stealable_run::tickets_most)})),
        tickets_{base::ceil_div(iterations_, size_), loop.shape.workers},
        lines_(loop.lines),
        epoch_(loop.epoch) {}

  chunk next(worker w, feedback) {
    for (unsigned looks = 0; !make_ready(w.index); ++looks) {
      if (!thefts_.pause(looks)) return nothing_left;
    }
    const chunk own = usual(w);
    return own.empty() ? steal(w.index) : own;
  }

  // The short way for a worker that has a ticket (schedule.hpp).
  chunk usual(worker w) {
    if (lines_[w.index].touch.look(epoch_) != base::first_touch::state::ready) return nothing_left;
    const range mine = run_of(w.index).take();
    return mine.size() == 0 ? nothing_left : chunk_of(mine.begin);
  }

 private:
  stealable_run run_of(std::uint32_t w) const { return stealable_run(lines_[w].word[0]); }

  bool make_ready(std::uint32_t w) const {
    return lines_[w].touch.ensure(epoch_, [&] { run_of(w).put(partition_of(w, tickets_)); });
  }

  chunk chunk_of(u64 ticket) const {
    const u64 begin = ticket * size_;
    return {begin, ticket + 1 == tickets_.iterations ? iterations_ : begin + size_};
  }

  // For a worker that has no ticket. Kept out of the usual path.
  [[gnu::noinline]] chunk steal(std::uint32_t thief) {
    for (unsigned looks = 0;; ++looks) {
      const u64 seen = thefts_.seen();
      bool in_flux = false;
      for (std::uint32_t victim = next_to(thief); victim != thief; victim = next_to(victim)) {
        if (!make_ready(victim)) {
          in_flux = true;
          continue;
        }
        const chunk loot = rob(victim, thief);
        if (!loot.empty()) return loot;
      }
      if (!in_flux && thefts_.none_since(seen)) return nothing_left;
      if (!thefts_.pause(looks)) return nothing_left;
    }
  }

  chunk rob(std::uint32_t victim, std::uint32_t thief) {
    if (run_of(victim).look().size() == 0) return nothing_left;
    thefts_.begin();
    const range loot = run_of(victim).cut();
    if (loot.size() > 1) run_of(thief).put({loot.begin + 1, loot.end});
    thefts_.end();
    if (loot.size() == 0) return nothing_left;
    chunk stolen = chunk_of(loot.begin);
    stolen.from = origin::stolen;
    stolen.victim = victim;
    return stolen;
  }

  std::uint32_t next_to(std::uint32_t w) const { return w + 1 == tickets_.workers ? 0 : w + 1; }

  u64 iterations_;
  u64 size_;            // iterations of a chunk; the last one may be shorter
  loop_shape tickets_;  // its `iterations` are tickets
  worker_line* lines_;
  u64 epoch_;
  thefts thefts_;
};

}  // namespace doall::schedules
