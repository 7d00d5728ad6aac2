// The flat form of a splitting schedule: its rule (splitting.hpp) on a loop that next() deals, such
// as an OpenMP worksharing loop.
//
// Paper: LBS, sections 2 and 3; the rules' own files say more. A worker's hand and its deque are
// one range here, in one word (stealable_run.hpp), as they are in the paper while a worker has only
// one loop: the worker runs the front of the range, and then what it pushed and was not stolen.
//   - The owner takes a grain off the front: the run that the rule comes to when it has pushed all
//     that it pushes. That is ppt iterations, sst or fewer, a chunk of K P, or one.
//   - A thief takes the back half, as the rules push it; but all of a part that is no more than a
//     grain, which they do not split. Its part gets a grain of its own: ebs-auto's V.
//   - sws splits nothing: there a thief, too, takes an iteration off the front, and leaves the rest
//     where it is. Whichever deque that lies in, it is one word for all.
//
// Where it differs from the paper, and why. A worker that gets an empty chunk from next() does not
// come back, so all iterations that no worker has begun must be stealable at any time. Hence no
// part is kept in hand until the deque is empty: lbs pays a swap for each ppt iterations, where it
// would look at its deque, and is as eager as ebs-simple. Nor does sws carry everything off: a
// worker that looked meanwhile would leave for good.
//
// The loop is worker 0's at first. That run lies in the object: in a line a worker could find it
// just being initialised, and leave. The other workers begin with nothing; their lines count as
// empty until they come.
//
// Thresholds. The loop was never measured, so lbs's ppt, unless it is given, is a 64th of a
// worker's even partition, N / 64 P. So there are few swaps whatever an iteration takes, and the
// worker that runs the last ppt iterations keeps the others waiting for a 64th of their time.
// Measuring would cost a reading of the clock for each run, and next() knows no unit of time to
// compare with 1,000 cycles. For the same reason lbs+ finds no loop too short. A loop of one worker
// counts as nested, since that is what OpenMP makes of inner loops: serial-inner runs it whole.
//
// State: for each worker a run of tickets, and its grain. A ticket is an iteration, or several in
// loops of more than stealable_run::tickets_most; thresholds are scaled alike.
// Exactly once: stealable_run.hpp. A grain that is read too early or too late cuts the loop at
// other places, and as exactly.
// Terminates: a worker gets an empty chunk only after a round in which every run was empty. It does
// not see what a thief carries to its own run at that instant; that is no more, by an iteration,
// than its victim kept, or than the thief runs at once.
// Cost: a grain: a compare-and-swap on a line that only thieves share; a theft: the rule's O(log N)
// steps, and a look at the workers from the next one on until one has something.
#pragma once

#include <algorithm>

#include "schedule/splitting.hpp"
#include "schedule/stealable_run.hpp"

namespace doall::schedules {

template <class Rule>
class flat_splitting {
 public:
  using rule = Rule;
  static constexpr description about = Rule::about;

  explicit flat_splitting(const loop_context& loop)
      : iterations_(loop.shape.iterations),
        size_(std::max<u64>(1, base::ceil_div(iterations_, stealable_run::tickets_most))),
        tickets_{base::ceil_div(iterations_, size_), loop.shape.workers},
        rule_(context_of(loop.given)),
        lines_(loop.lines),
        epoch_(loop.epoch) {
    const part whole = rule_.whole(tickets_.iterations);
    if (whole.size() != 0) begin(0, {whole.begin, whole.end}, grain_of(whole));
  }

  chunk next(worker w, feedback) {
    if (w.index != 0) lines_[w.index].touch.ensure(epoch_, [&] { begin(w.index, {}, 1); });
    const range own = run_at(w.index).take(grain_at(w.index));
    return own.size() != 0 ? chunk_of(own) : steal(w.index);
  }

 private:
  static constexpr u64 grains_a_share = 64;

  split_context context_of(params given) const {
    if constexpr (requires { Rule::in_tickets(given, size_); }) {
      given = Rule::in_tickets(given, size_);
    }
    const u64 grains = grains_a_share * tickets_.workers;
    return {.shape = tickets_,
            .given = given,
            .worth = std::max<u64>(1, tickets_.iterations / grains),
            .nested = tickets_.workers == 1};
  }

  // How much of a part the rule runs before it asks again, once it has pushed the rest.
  u64 grain_of(part hand) const {
    bool deque_is_empty = true;
    for (;;) {
      const step next = rule_.decide(hand, deque_is_empty);
      if (next.what == step::kind::run) return next.keep;
      part pushed;
      rule_.cut(next.keep, hand, pushed);
      deque_is_empty = false;
    }
  }

  sync::atomic<u64>& grain_word(std::uint32_t w) { return w == 0 ? grain_ : lines_[w].word[1]; }
  stealable_run run_at(std::uint32_t w) { return stealable_run(w == 0 ? run_ : lines_[w].word[0]); }
  u64 grain_at(std::uint32_t w) {
    // (1) relaxed; alone: any grain that was there in this loop will do
    return grain_word(w).load(sync::relaxed);
  }

  // Gives the worker, whose run is empty, another.
  void begin(std::uint32_t w, range tickets, u64 grain) {
    // (2) relaxed; alone: as (1); first_touch publishes the first one
    grain_word(w).store(grain, sync::relaxed);
    run_at(w).put(tickets);
  }

  // Whether the worker may have something.
  bool has_come(std::uint32_t w) const {
    return w == 0 || lines_[w].touch.look(epoch_) == base::first_touch::state::ready;
  }

  // For a worker that has nothing. Kept out of the usual path.
  [[gnu::noinline]] chunk steal(std::uint32_t thief) {
    for (std::uint32_t victim = next_to(thief); victim != thief; victim = next_to(victim)) {
      if (!has_come(victim)) continue;
      const range mine = steal_from(victim, thief);
      if (mine.size() == 0) continue;
      chunk stolen = chunk_of(mine);
      stolen.from = origin::stolen;
      stolen.victim = victim;
      return stolen;
    }
    return nothing_left;
  }

  // Steals; returns what the thief runs at once, and puts the rest into its run.
  range steal_from(std::uint32_t victim, std::uint32_t thief) {
    const u64 grain = grain_at(victim);
    if constexpr (!Rule::splits) {
      return run_at(victim).take(grain);
    } else {
      const range taken = run_at(victim).cut(grain);
      if (taken.size() == 0) return taken;
      const u64 chunks = base::ceil_div(taken.size(), grain);
      const u64 mine = grain_of(rule_.stolen({taken.begin, taken.end, chunks}));
      begin(thief, {taken.begin + mine, taken.end}, mine);
      return {taken.begin, taken.begin + mine};
    }
  }

  std::uint32_t next_to(std::uint32_t w) const { return w + 1 == tickets_.workers ? 0 : w + 1; }

  chunk chunk_of(range tickets) const {
    const bool last = tickets.end == tickets_.iterations;
    return {tickets.begin * size_, last ? iterations_ : tickets.end * size_};
  }

  u64 iterations_;
  u64 size_;            // iterations of a ticket; the last one may be shorter
  loop_shape tickets_;  // its `iterations` are tickets
  Rule rule_;
  worker_line* lines_;
  u64 epoch_;

  // Worker 0's.
  alignas(base::apart_bytes) sync::atomic<u64> run_{0};
  sync::atomic<u64> grain_{1};
};

}  // namespace doall::schedules
