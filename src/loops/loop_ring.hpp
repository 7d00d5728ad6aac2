// The loops that a team has in flight.
//
// The workers of a team meet the same loops in the same order, but not at the same time: with
// OpenMP's `nowait` a quick worker may be several loops ahead. Each worker counts the loops that it
// has met; loop number s uses slot s mod depth. The first worker to arrive opens the loop
// (constructs its schedule in the slot). The last to leave closes it.
//
// A worker that is `depth` loops ahead of the slowest waits for a while. Then it moves the loops
// on: loop s and all after it lie elsewhere, in a ring twice as deep that the caller keeps
// (omp/deeper_loops.hpp). For the slowest may wait for what the worker does later. The ring stays
// that deep, so a program has such waits few times.
//
// Stages of a slot, for loop number s:   stage word
//   free       no worker has met it     4 s
//   opening    one worker constructs    4 s + 1
//   open       may be worked on         4 s + 2
//   moved      it lies elsewhere        4 s + 3
// and back to free, for loop s + depth, when all have left. A word below 4 s means that loop
// s - depth is still in the slot.
//
// `left` counts who has left the slot's loop; beside the count it has the loop's number, and a bit,
// `moved`: loop s + depth lies elsewhere. Who counts and who sets the bit do so by
// read-modify-writes of one word, so they agree: the bit is set before the last worker leaves, who
// then stores the stage `moved`, or not at all. Every worker comes to loop s + depth by this slot,
// and finds the bit or the stage. None has passed it, so the bit is set in one slot of a ring.
// Loops that end behind a barrier do not count. Nobody moves what comes after them: who is `depth`
// loops further has passed that barrier, and knows that their end is near (arrival::over).
//
// Terminates: a worker that waits for a slot without a bound waits for one that closes a loop,
// which does not wait. When a region is given up, workers leave it at any place; wake() then ends
// all waits.
// Cost: one load to enter an open loop, one compare-and-swap and a fence to open it, one
// read-modify-write to leave it, unless a barrier follows. Opening a loop like the slot's last one
// writes, of what the other workers read, one line and the schedule's counters. A loop that is the
// whole region (open_alone, close_alone) has none of these: release and join order it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/sync.hpp"
#include "base/zero_array.hpp"
#include "loops/loop_slot.hpp"
#include "park/gate.hpp"

namespace doall::team {

// A worker that comes to a loop.
struct arrival {
  std::uint64_t sequence = 0;  // the loop's number
  std::uint32_t size = 1;      // of its team
  std::uint64_t over = 0;      // loops before this one have been left by all, as a barrier showed
  park::spin_bound spin{};
};

// How it gets into it.
struct entrance {
  loop_slot* slot = nullptr;
  bool moved = false;  // the loop lies elsewhere, as do all after it; else no slot: given up
};

class loop_ring {
 public:
  // A team's ring: eight loops apart is far for workers that a barrier will hold.
  static constexpr std::uint32_t team_depth = 8;

  // How long a worker waits for a slot before it moves the loops on. A worker that is merely
  // preempted is back after some 3 ms. Waits for rings up to depth d are as long as d of these.
  static constexpr std::uint64_t move_after_ns = 50'000;
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  // Room for `depth` loops, a power of two, of `workers` workers each, the first of which has that
  // number. O(depth workers) bytes, all zero; a worker's lines are untouched until a worker comes
  // to them.
  loop_ring(std::uint32_t depth, std::uint32_t workers, std::uint64_t first = 0)
      : loop_ring(depth, workers, first, depth * move_after_ns) {}

  // For models, which know no time.
  loop_ring(std::uint32_t depth, std::uint32_t workers, std::uint64_t first,
            std::uint64_t move_after_ns)
      : next(first),
        depth_(depth),
        workers_(workers),
        patience_ns_(move_after_ns),
        slots_(std::make_unique<loop_slot[]>(depth)),
        lines_(std::size_t{depth} * workers),
        tallies_(std::make_unique<observe::tally[]>(
            observe::enabled() ? std::size_t{depth} * workers : 0)) {
    for (std::uint32_t i = 0; i < depth; ++i) {
      slots_[i].lines = &lines_[std::size_t{i} * workers];
      if (observe::enabled()) slots_[i].tallies = &tallies_[std::size_t{i} * workers];
    }
    number_from(first);
  }

  // The number of the team's next loop, from region to region; the team's first worker updates it.
  // It is in the ring, so that it always matches the slots' stages: in the child of a fork the team
  // has a new ring, and the end of the loop in which it forked still writes to the former one.
  std::uint64_t next;

  std::uint32_t depth() const { return depth_; }
  std::uint32_t workers() const { return workers_; }
  std::uint32_t index_of(std::uint64_t sequence) const { return sequence & (depth_ - 1); }
  loop_slot& at(std::uint64_t sequence) { return slots_[index_of(sequence)]; }

  // Enters a loop. Calls open(slot) if this worker is the first to arrive. For a team that may give
  // its loops up: there is no slot if given_up() held while the worker had to wait. Without a slot
  // it is not in the loop, and leaves none.
  template <class GivenUp, class Open>
  entrance enter(const arrival& at_it, GivenUp given_up, Open open) {
    loop_slot& slot = at(at_it.sequence);
    const std::uint64_t free = 4 * at_it.sequence;
    // (2) acquire; pairs with (4), (7), (14): the opened loop, or that all have left the earlier
    // one
    const auto stage = [&] { return slot.stage.load(sync::acquire); };
    std::uint64_t found = stage();
    if (found < free) {
      const auto ready = [&] { return stage() >= free || given_up(); };
      if (may_move(at_it) &&
          (is_moved(slot, at_it) ||
           (!changed_.wait_at_most(ready, at_it.spin, patience_ns_) && move(slot, at_it))))
        return {.moved = true};
      changed_.wait(ready, at_it.spin);
      found = stage();
      if (found < free) return {};
    }
    if (found == free + 3) return {.moved = true};
    // (3) acquire; pairs with (7), (14): the opener may overwrite what the earlier loop's workers
    // read
    if (found == free &&
        slot.stage.compare_exchange_strong(found, free + 1, sync::acquire, sync::acquire)) {
      open(slot);
      // (4) release; pairs with (2): publishes the opened loop
      slot.stage.store(free + 2, sync::release);
      changed_.open();
      return {&slot};
    }
    // The opener does not wait, so this ends soon.
    changed_.wait([&] { return stage() == free + 2; }, at_it.spin);
    return {&slot};
  }

  // For the one thread that is left of the team in the child of a fork: frees the loop's slot if
  // others have not left an earlier loop, or were about to open this one; and leaves a loop that
  // others do not leave.
  template <class Last>
  void seize(std::uint64_t sequence, Last last) {
    loop_slot& slot = at(sequence);
    // (12) relaxed; alone: there is no other thread
    const std::uint64_t stage = slot.stage.load(sync::relaxed);
    if (stage == 4 * sequence + 2) return;
    if (stage % 4 == 2) leave(stage / 4, 0, last);
    if (stage % 4 == 1) slot.first = {};  // half opened: what is in the object is not known
    number(slot, sequence);
  }

  // Has waiting workers look again whether the loops are given up.
  void wake() { changed_.open(); }

  // Leaves the loop, which the worker will not touch again. The last of `size` to leave calls
  // last(slot) and closes the loop; if size is 0 this worker is.
  template <class Last>
  void leave(std::uint64_t sequence, std::uint32_t size, Last last) {
    loop_slot& slot = at(sequence);
    // (5) acq_rel; pairs with (5): the last to leave has seen all tallies
    const std::uint64_t left = slot.left.fetch_add(1, sync::acq_rel) + 1;
    if (count_of(left) != size && size != 0) return;
    last(slot);
    slot.close();
    const std::uint64_t following = sequence + depth_;
    // (6) relaxed; alone: (7) publishes it
    slot.left.store(none_left(following), sync::relaxed);
    // (7) release; pairs with (2), (3): all have left
    slot.stage.store(4 * following + 3 * has_moved(left), sync::release);
    changed_.open();
  }

  // Ends a loop that all workers have left, as a barrier has shown to the one that calls this: then
  // none of them had to count itself out. It closes nothing: not for a loop that settles.
  template <class Last>
  void end_behind_barrier(std::uint64_t sequence, Last last) {
    loop_slot& slot = at(sequence);
    last(slot);
    const std::uint64_t following = sequence + depth_;
    // (13) relaxed; alone: (14) publishes it
    slot.left.store(none_left(following), sync::relaxed);
    // (14) release; pairs with (2), (3): all have left; the barrier has ordered their parts
    slot.stage.store(4 * following, sync::release);
    changed_.open();
  }

  // For a loop that is its whole region: the master opens it before the release and closes it after
  // the join; no worker enters or leaves. Its number is still free then. Give the next such loop
  // the same number, for its workers have the slot's lines.
  loop_slot& open_alone(std::uint64_t sequence, const loop_request& request) {
    at(sequence).open(request);
    return at(sequence);
  }
  void close_alone(std::uint64_t sequence) { at(sequence).close(); }

  // Forgets the loops that workers have not left, and will not leave: calls last(slot index) and
  // closes each, and begins anew with numbers that no loop has had. Called by one thread, while no
  // worker is in a loop.
  template <class Last>
  void abandon(Last last) {
    std::uint64_t highest = 0;
    for (std::uint32_t i = 0; i < depth_; ++i) {
      // (9) relaxed; alone: the join has ordered what workers did
      const std::uint64_t stage = slots_[i].stage.load(sync::relaxed);
      highest = std::max(highest, stage / 4);
      if (stage % 4 == 0 || stage % 4 == 3) continue;
      last(i);
      slots_[i].close();
    }
    next = (highest / depth_ + 1) * depth_;
    number_from(next);
  }

  // Called if loops with higher numbers have been entered since.
  void pass_on(std::uint64_t sequence) { number(at(sequence), sequence + depth_); }

 private:
  // Of `left`: below this bit the count, above it the loop's number.
  static constexpr std::uint64_t moved_bit = std::uint64_t{1} << 31;
  static constexpr std::uint64_t none_left(std::uint64_t sequence) { return sequence << 32; }

  // The loops that come have these numbers. Nobody is in the ring, or knows of it.
  void number_from(std::uint64_t first) {
    for (std::uint32_t i = 0; i < depth_; ++i) number(at(first + i), first + i);
  }
  static void number(loop_slot& slot, std::uint64_t sequence) {
    // (8) relaxed; alone: what hands the ring to other threads publishes it
    slot.left.store(none_left(sequence), sync::relaxed);
    // (10) relaxed; alone: as (8)
    slot.stage.store(4 * sequence, sync::relaxed);
  }

  // Whether workers that come to this loop may find that it has moved. The loop before it in the
  // slot is not over as far as they know.
  bool may_move(const arrival& at_it) const { return at_it.sequence - depth_ >= at_it.over; }
  bool is_moved(const loop_slot& slot, const arrival& at_it) const {
    // (11) relaxed; alone: the bit is never taken back while its loop has this number
    const std::uint64_t left = slot.left.load(sync::relaxed);
    return is_of(left, at_it.sequence - depth_) && has_moved(left) != 0;
  }
  static std::uint64_t count_of(std::uint64_t left) { return left % moved_bit; }
  static std::uint64_t has_moved(std::uint64_t left) { return left / moved_bit % 2; }
  static bool is_of(std::uint64_t left, std::uint64_t sequence) {
    return left >> 32 == (sequence & ~std::uint32_t{0});
  }

  // Says that this loop and those after it lie elsewhere. False if all have left the loop before it
  // in the slot: the slot is about to be free.
  bool move(loop_slot& slot, const arrival& at_it) {
    // (15) relaxed; alone: (16) reads it again
    std::uint64_t left = slot.left.load(sync::relaxed);
    do {
      if (!is_of(left, at_it.sequence - depth_)) return false;
      if (count_of(left) == at_it.size) return false;
      if (has_moved(left) != 0) return true;
      // (16) relaxed; alone: it says where, not what, and leaves (5)'s release sequence whole
    } while (
        !slot.left.compare_exchange_weak(left, left + moved_bit, sync::relaxed, sync::relaxed));
    return true;
  }

  std::uint32_t depth_;
  std::uint32_t workers_;
  std::uint64_t patience_ns_;
  std::unique_ptr<loop_slot[]> slots_;
  base::zero_array<schedules::worker_line> lines_;
  std::unique_ptr<observe::tally[]> tallies_;
  park::gate changed_;
};

}  // namespace doall::team
