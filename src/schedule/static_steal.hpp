// static-steal: every worker begins with its share of the loop's chunks and takes
// them one at a time; who has none left steals half of what another has.
//
// The name is libomp's, for `dynamic` with the modifier nonmonotonic: static's shares,
// evened out by stealing. How much to steal is COWS's WSRI: the victim keeps the front
// half, rounded down. Unlike libomp's, it needs one word and no lock for any type of
// loop; unlike COWS's, a single chunk can be stolen, and the victim is the first
// in a round that has something, not the one that has most.
//
// It deals tickets, one a chunk, as dynamic does: ticket t is the chunk [t c, t c + c),
// so chunks have c iterations whoever runs them, but for the loop's last. Worker w's
// share is share_of(w) of the tickets; of the iterations, where c = 1.
//
// State per worker: a run of tickets [first, end), both in one word. Hence no more than
// tickets_most: a loop of more chunks gets larger ones, of a tickets_most-th of the loop.
//   - The owner takes by adding one to `first`, without a look before. If first >= end
//     was in the word, nothing was taken and the word is as empty as it was.
//   - A thief swaps [first, end) for [first, middle), runs ticket `middle` and leaves
//     [middle + 1, end) in its own word, where it can be robbed in its turn.
//   - An empty word is written by its owner alone.
//
// Exactly once: addition and swap are atomic on the same word, so a ticket leaves
// it once, to be run or into one other word. No swap takes a later word for the one
// that it has read (ABA): as long as a ticket is the first of a word, `end` only falls; it
// leaves that place only to be run, for it is stolen only when it is also the
// last, and a thief runs the first that it steals. So no word comes back unless
// it is empty, and no swap expects an empty one.
//
// A word is brought up to date by whoever touches it first (base/first_touch.hpp), so
// the share of a worker that has not arrived can be stolen. A word that somebody is
// initialising counts as empty: its initialiser steals from it next. If it is the
// worker's own, the worker steals single tickets, having no place to put more.
//
// Balance: a chunk in a word can be stolen, down to the last. What a thief carries from
// word to word nobody sees; it is no more than its victim kept, so who finds all
// words empty at that instant has missed no more than was run in the meantime.
// Terminates: a swap fails because another worker took a ticket; a worker gets an
// empty chunk only after a round in which every word was empty or being initialised.
//
// Cost: own chunk: one fetch_add on a line that only thieves share; stolen: a look at
// the workers from the next one on, until one has something, and a compare-and-swap.
// O(log(N / c)) steals empty the share of a worker that has stopped, if nobody else has.
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace doall::schedules {

class static_steal {
 public:
  explicit static_steal(const loop_context& loop)
      : iterations_(loop.shape.iterations),
        size_(std::max({u64{1}, loop.given.chunk, base::ceil_div(iterations_, tickets_most)})),
        tickets_{base::ceil_div(iterations_, size_), loop.shape.workers},
        lines_(loop.lines),
        epoch_(loop.epoch) {}

  chunk next(worker w, feedback) {
    if (!make_ready(w.index)) return steal(w.index, one_ticket);
    const chunk own = usual(w);
    return own.empty() ? steal(w.index, whole_half) : own;
  }

  // The short way for a worker that has a ticket (schedule.hpp).
  chunk usual(worker w) {
    worker_line& line = lines_[w.index];
    if (line.touch.look(epoch_) != base::first_touch::state::ready) return nothing_left;
    // (1) relaxed; alone: the run itself is all that is communicated
    const u64 run = run_of(line).fetch_add(1, sync::relaxed);
    return first_of(run) < end_of(run) ? chunk_of(first_of(run)) : nothing_left;
  }

 private:
  // Each half of a word has room for two more: an owner overdraws in usual() and in next().
  static constexpr u64 tickets_most = 0xffff'fffd;

  enum portion { one_ticket, whole_half };

  static u64 pack(u64 first, u64 end) { return end << 32 | first; }
  static u64 first_of(u64 run) { return run & 0xffff'ffff; }
  static u64 end_of(u64 run) { return run >> 32; }

  static sync::atomic<u64>& run_of(worker_line& line) { return line.word[0]; }

  bool make_ready(std::uint32_t w) const {
    worker_line& line = lines_[w];
    return line.touch.ensure(epoch_, [&] {
      const share tickets = share_of(w, tickets_);
      // (2) relaxed; alone: first_touch publishes it
      run_of(line).store(pack(tickets.begin, tickets.end), sync::relaxed);
    });
  }

  chunk chunk_of(u64 ticket) const {
    const u64 begin = ticket * size_;
    return {begin, ticket + 1 == tickets_.iterations ? iterations_ : begin + size_};
  }

  // For a worker that has no ticket, and nowhere to put some unless it takes halves.
  // Kept out of the usual path.
  [[gnu::noinline]] chunk steal(std::uint32_t thief, portion part) {
    for (std::uint32_t victim = next_to(thief); victim != thief; victim = next_to(victim)) {
      if (!make_ready(victim)) continue;  // who makes it ready steals from it
      const share loot = take_from(victim, part);
      if (loot.size() == 0) continue;
      // (3) relaxed; alone: as (1); the word was empty, so nobody else writes it
      if (part == whole_half)
        run_of(lines_[thief]).store(pack(loot.begin + 1, loot.end), sync::relaxed);
      chunk stolen = chunk_of(loot.begin);
      stolen.from = origin::stolen;
      stolen.victim = victim;
      return stolen;
    }
    return nothing_left;
  }

  // Cuts tickets off the end of the victim's run; none when it has none.
  share take_from(std::uint32_t victim, portion part) {
    sync::atomic<u64>& word = run_of(lines_[victim]);
    // (4) relaxed; alone: only a guess for (5), which decides
    u64 run = word.load(sync::relaxed);
    for (;;) {
      const u64 first = first_of(run);
      const u64 end = end_of(run);
      if (first >= end) return {end, end};
      const u64 middle = part == whole_half ? first + (end - first) / 2 : end - 1;
      const u64 kept = pack(first, middle);
      // (5) relaxed; alone: as (1)
      if (word.compare_exchange_weak(run, kept, sync::relaxed, sync::relaxed)) {
        return {middle, end};
      }
    }
  }

  std::uint32_t next_to(std::uint32_t w) const { return w + 1 == tickets_.workers ? 0 : w + 1; }

  u64 iterations_;
  u64 size_;            // iterations a chunk; the last one may be shorter
  loop_shape tickets_;  // whose `iterations` are tickets
  worker_line* lines_;
  u64 epoch_;
};

}  // namespace doall::schedules
