// How a worker that found nothing to steal goes to sleep, and how a push wakes one.
//
// A sleeper sleeps at a gate (park/gate.hpp), where other threads may wake it for other reasons.
// An **idle** sleeper takes a part of any loop that may have so many workers. A **joining**
// sleeper waits for the end of a loop, which it names, and takes only parts of that loop's
// descendants. A push wakes one sleeper that may take the part: an idle one if there is any, else
// the joining one that waits furthest inside, for it has the least to choose from. README.md
// argues that one is enough, and that no part is missed.
//
//   sleeper                                      pusher
//   (a) counts itself, states its gate and the   (d) advertises, pushes the part
//       loop that it waits for, sets its bit
//   (b) heavy fence                              (e) light fence
//   (c) looks at its bit, and at the deques of   (f) looks at the count; 0: done
//       all advertisers; sleeps if its bit is    (g) finds the bit of a sleeper that may take
//       still set and there is nothing               the part, clears it, opens that gate
//
// Either (c) sees all that the pusher wrote before (e), or (f) and (g) see all that the sleeper
// wrote before (b). src/park/README.md has the argument, for the same two fences.
//
// State: two sets, of the idle and of the joining, with a bit for each worker. A bit is set from
// (a) until its sleeper wakes or is called. The thread that clears it has the call, and takes the
// sleeper out of the count.
// Callers: a sleeper takes its own three steps; any worker calls.
// Terminates: a call tries each idle sleeper once. It tries joining ones again when it was too late
// for one; that one has then woken.
// Cost: a push with no sleeper, (e) and one load. Else a load for each 64 workers, and a look at
// each joining sleeper's loop: at most as many as there are workers with stolen parts.
// Checked by tests/model/model_wake_up.cpp.
#pragma once

#include <cstdint>

#include "base/asymmetric_fence.hpp"
#include "base/sync.hpp"
#include "steal/roster.hpp"

namespace doall::steal {

// A worker that may sleep. Gate: park::gate; it must outlive every call.
template <class Gate>
struct sleeper : worker_thread {
  using worker_thread::worker_thread;

  sync::atomic<Gate*> at{nullptr};       // where it sleeps, or last slept
  sync::atomic<frame*> within{nullptr};  // joining: the loop, which others only read; null: idle
};

// The sleepers among a roster's workers. All of its workers are of sleeper_type.
template <class Gate>
class wake_up {
 public:
  using sleeper_type = sleeper<Gate>;

  explicit constexpr wake_up(const roster& all) : all_(&all) {}

  // Step (a); the gate takes (b) and (c). The count comes first: a pusher that sees it and yet
  // finds no sleeper has pushed before (b), so (c) sees its part. A worker that is in no roster is
  // never called.
  void lie_down(sleeper_type& me, const frame* within, Gate& at) {
    if (!me.is_listed()) return;
    // (1) relaxed; alone: the gate's fence comes next
    sleepers_.fetch_add(1, sync::relaxed);
    // (2) relaxed; alone: (4) publishes it
    me.at.store(&at, sync::relaxed);
    // (3) relaxed; alone: (4) publishes it
    me.within.store(const_cast<frame*>(within), sync::relaxed);
    // (4) release; pairs with (11): where it sleeps, and within which loop
    bits_of(me, within).fetch_or(bit_of(me.place()), sync::release);
  }

  // Step (c).
  bool is_called(const sleeper_type& me, const frame* within) const {
    return was_called(me, within) || all_->has_work(me, within);
  }

  void get_up(sleeper_type& me, const frame* within) {
    if (!me.is_listed()) return;
    // (5) relaxed; alone: the thread that clears the bit counts it out
    if (took(bits_of(me, within).fetch_and(~bit_of(me.place()), sync::relaxed), me)) count_out();
  }

  // Steps (e) to (g), after a part of that loop was pushed, or while one lies in a deque. Returns
  // whether it woke a sleeper.
  bool call_one(const frame& loop) {
    // (6) seq_cst fence; pairs with gate (3): light; step (e)
    sync::light_fence();
    // (7) relaxed; alone: (6) orders it after the push
    if (sleepers_.load(sync::relaxed) == 0) [[likely]]
      return false;
    return call_idle(loop) || call_joining(loop);
  }

  // Called in the child of a fork, where there is no other thread.
  void forget() {
    // (8) relaxed; alone: there is no other thread
    sleepers_.store(0, sync::relaxed);
    idle_.clear();
    joining_.clear();
  }

 private:
  sync::atomic<u64>& bits_of(const sleeper_type& s, const frame* within) {
    return (within == nullptr ? idle_ : joining_).word_of(s.place());
  }

  bool was_called(const sleeper_type& me, const frame* within) const {
    if (!me.is_listed()) return false;
    const place_set& its = within == nullptr ? idle_ : joining_;
    // (9) relaxed; alone: a called sleeper looks at all deques again before it sleeps again
    return !took(its.word_of(me.place()).load(sync::relaxed), me);
  }

  static bool took(u64 bits, const sleeper_type& s) { return (bits & bit_of(s.place())) != 0; }

  // (10) relaxed; alone: a count of the sleepers that can be called
  void count_out() { sleepers_.fetch_sub(1, sync::relaxed); }

  // Null: that worker is just being added.
  sleeper_type* at(std::uint32_t place) const {
    return static_cast<sleeper_type*>(all_->at(place));
  }

  bool call(sleeper_type& s, sync::atomic<u64>& bits) {
    // (11) acquire; pairs with (4): where it sleeps. The gate orders the sleeper's look at the bit
    if (!took(bits.fetch_and(~bit_of(s.place()), sync::acquire), s)) return false;
    count_out();
    // (12) relaxed; alone: if it has woken since, and sleeps elsewhere, that gate opens in vain
    s.at.load(sync::relaxed)->open();
    return true;
  }

  [[gnu::noinline]] bool call_idle(const frame& loop) {
    for (std::uint32_t w = 0; w < words(); ++w) {
      // (13) relaxed; alone: (6) orders it, and the look at the sleeper, as (7)
      for (u64 bits = idle_.word(w).load(sync::relaxed); bits != 0; bits &= bits - 1) {
        sleeper_type* const s = at(lowest_place(w, bits));
        if (s != nullptr && may_take(*s, loop, nullptr) && call(*s, idle_.word(w))) return true;
      }
    }
    return false;
  }

  // A sleeper may wake between the look at its loop and the call, and sleep within another loop.
  // Then the call wakes it in vain, and the search goes on.
  [[gnu::noinline]] bool call_joining(const frame& loop) {
    for (;;) {
      sleeper_type* const best = innermost_that_may_take(loop);
      if (best == nullptr) return false;
      if (!call(*best, joining_.word_of(best->place()))) continue;
      const frame* const within = waits_within(*best);
      if (within != nullptr && loop.descends_from(*within)) return true;
    }
  }

  sleeper_type* innermost_that_may_take(const frame& loop) const {
    sleeper_type* best = nullptr;
    std::uint32_t best_depth = 0;
    for (std::uint32_t w = 0; w < words(); ++w) {
      // (14) relaxed; alone: as (13)
      for (u64 bits = joining_.word(w).load(sync::relaxed); bits != 0; bits &= bits - 1) {
        sleeper_type* const s = at(lowest_place(w, bits));
        const frame* const within = s != nullptr ? waits_within(*s) : nullptr;
        if (within == nullptr || !may_take(*s, loop, within)) continue;
        // (15) relaxed; alone: as (16); for a loop that has ended any number will do
        const std::uint32_t depth = within->depth.load(sync::relaxed);
        if (best != nullptr && depth <= best_depth) continue;
        best = s;
        best_depth = depth;
      }
    }
    return best;
  }

  // The loop of a joining sleeper. Null: it is idle by now, or was until just now.
  static const frame* waits_within(const sleeper_type& s) {
    // (16) relaxed; alone: as (13) before the call, and after it (11) orders it
    return s.within.load(sync::relaxed);
  }

  std::uint32_t words() const { return words_for(all_->size()); }

  const roster* const all_;
  alignas(base::apart_bytes) sync::atomic<std::uint32_t> sleepers_{0};  // bits that are set
  place_set idle_;
  place_set joining_;
};

}  // namespace doall::steal
