// Whether other programs want the CPUs of this process, as its waiters have noticed.
//
// A waiter that spins or yields beside another program loses its CPU for a time slice, some 3 ms,
// and takes one from the very thread that it waits for. One that sleeps is woken onto a CPU beside
// its waker, and the two hand each other that CPU, thousands of times in a slice. But this serves
// only if all of a team sleep: a mate that spins keeps a CPU and comes late. So what one waiter
// notices holds for all: for a while the process's threads neither spin nor yield, and none is
// moved to another CPU (threads/waiting.hpp). Then the next waits try. Who is preempted again
// begins a longer pause (stand_off.hpp); where nobody is, all is as on a quiet machine.
//
// On a machine of many CPUs one of them is always somebody else's, and the others are still the
// team's. So it takes notices of a quarter of the CPUs within the longest pause; until then a
// thread that was preempted stands off by itself (mates.hpp).
//
// Meanwhile threads fall asleep often and are woken often, so fences are real ones on both sides
// (base/asymmetric_fence.hpp).
//
// State: hints, read and written by all waiters; a lost update costs one more try. But a pause that
// holds is marked, and its fences are real: who ends one looks again after the mark is gone.
// Checked by tests/model/model_contention.cpp.
// Cost: one load for each wait; in a pause, a look at the clock.
// What was measured: docs/investigations/2026-11-28-waits-beside-others.md.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/sync.hpp"
#include "park/stand_off.hpp"

namespace doall::park {

class contention {
 public:
  // Whether waiters sleep at once.
  bool holds(std::uint64_t now_ns) const {
    // (1) relaxed; alone: a hint
    if (now_ns < until_ns_.load(sync::relaxed)) return true;
    // (13) relaxed; alone: a hint
    return now_ns < no_turns_until_ns_.load(sync::relaxed);
  }

  // A waiter was preempted while it was awake, for that time. Returns whether a pause begins.
  bool learn(std::uint64_t now_ns, std::uint64_t lost_ns, std::uint64_t cpus) {
    if (holds(now_ns) || !are_enough(now_ns, cpus)) return false;
    // (2) relaxed; alone: a hint
    const std::uint64_t last_ns = pause_ns_.load(sync::relaxed);
    // (3) relaxed; alone: a hint
    const std::uint64_t next_ns =
        stand_off::next_length(last_ns, until_ns_.load(sync::relaxed), now_ns, lost_ns);
    // (4) relaxed; alone: a hint
    pause_ns_.store(next_ns, sync::relaxed);
    // (5) relaxed; alone: a hint
    until_ns_.store(now_ns + next_ns, sync::relaxed);
    return true;
  }

  // Threads that took turns stop until then (turns.hpp). It does not count as a pause that others
  // follow.
  void hold_until(std::uint64_t until_ns) {
    // (14) relaxed; alone: a hint
    no_turns_until_ns_.store(until_ns, sync::relaxed);
  }

 private:
  bool are_enough(std::uint64_t now_ns, std::uint64_t cpus) {
    // (6) relaxed; alone: a hint
    if (now_ns - since_ns_.load(sync::relaxed) > stand_off::longest_ns) {
      // (7) relaxed; alone: a hint
      since_ns_.store(now_ns, sync::relaxed);
      // (8) relaxed; alone: a hint
      notices_.store(0, sync::relaxed);
    }
    // (9) relaxed; alone: a hint
    return 4 * (notices_.fetch_add(1, sync::relaxed) + 1) >= cpus;
  }

  sync::atomic<std::uint64_t> until_ns_{0};  // of the last pause
  sync::atomic<std::uint64_t> pause_ns_{0};  // how long it was
  sync::atomic<std::uint64_t> since_ns_{0};  // notices_ are counted since then
  sync::atomic<std::uint64_t> notices_{0};
  sync::atomic<std::uint64_t> no_turns_until_ns_{0};
};

// Marks a pause that holds, for waiters to read. `fences`: make_real() and make_light().
template <class Fences>
void begin_pause(sync::atomic<bool>& mark, Fences& fences) {
  // (12) seq_cst; pairs with (11): either the mark stays, or who takes it away sees the pause. The
  // mark comes first: who finds it gone has made fences light before these are real
  mark.store(true, sync::seq_cst);
  fences.make_real();
}

// A look of who finds a mark. Returns whether a pause holds; if not, the mark goes.
template <class Fences>
bool look_for_pause(const contention& others, std::uint64_t now_ns, sync::atomic<bool>& mark,
                    Fences& fences) {
  if (others.holds(now_ns)) return true;
  fences.make_light();
  // (11) seq_cst; pairs with (12): a pause that another thread has begun since
  mark.exchange(false, sync::seq_cst);
  if (!others.holds(now_ns)) return false;
  begin_pause(mark, fences);
  return true;
}

#if defined(DOALL_SYNC_MODEL)

inline bool others_want_cpus() { return false; }
inline void notice_preemption(std::uint64_t, std::uint64_t) {}
inline void notice_others(std::uint64_t) {}
inline void end_pause_in_time() {}

#else

// Of both libraries. Every waiter reads it: written twice a pause.
extern sync::atomic<bool> may_be_contended;
bool is_contended();

inline bool others_want_cpus() {
  // (10) relaxed; alone: a hint
  return may_be_contended.load(sync::relaxed) && is_contended();
}

// The same look, of a waiter that does not ask: a pause that is over ends.
inline void end_pause_in_time() { static_cast<void>(others_want_cpus()); }

// The calling thread was preempted while it waited awake, for that time.
void notice_preemption(std::uint64_t now_ns, std::uint64_t lost_ns);

// Threads that took turns have found other programs on the CPUs, and stop until then (turns.hpp).
void notice_others(std::uint64_t until_ns);

#endif

}  // namespace doall::park
