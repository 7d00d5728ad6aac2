// Counts of a loop's thefts, for schedules in which a thief carries tickets from its victim's run
// to its own (stealable_run.hpp). A worker that finds all runs empty cannot see what a thief is
// carrying, but the counts tell it if no thief carries anything.
//
// A thief calls begin(), cuts its victim's run, fills its own, and calls end(). A worker that has
// nothing remembers seen() and looks at every run. It leaves if there was nothing to steal and
// none_since(what it remembers); else it looks again.
//
// Why it then misses nothing. Let a run be stealable if it has at least m tickets, where m is one
// or more. Runs grow by theft alone, and only from a run of at least m. So what the worker saw was
// all there was, and there will be no more. This holds although the looks are one after the other,
// and orders are weak. Say W reaches m tickets by a theft T from V that the look at W did not see.
// If the look at V saw V before T, V reached m later than that look, by another theft, which
// happened before T: take that one for T, and so on. If it saw V after T, it saw that T had begun
// (stealable_run (4) and (7)). As none_since() found no more than seen(), T is among the thefts
// that had ended at seen(), so the worker saw what T put into W, by (4). A run that its owner has
// not begun counts whole; one that is being initialised is looked at again.
//
// Terminates: a worker that looks again waits for a thief that is between two counts, or for the
// thread that initialises a run: a handful of instructions, unless that thread has lost its CPU
// (waiting.hpp).
// Cost: for a theft, two additions on one line; for leaving, two looks at it.
#pragma once

#include "schedule/schedule.hpp"
#include "schedule/waiting.hpp"

namespace doall::schedules {

class thefts {
 public:
  u64 seen() const {
    // (1) acquire; pairs with (4): shows what ended thefts have put somewhere
    return counts_.load(sync::acquire);
  }

  // Whether none was under way then, and none has begun since.
  bool none_since(u64 seen) const {
    if (seen % one_ended != 0) return false;
    // (2) relaxed; alone: stealable_run (7) orders it behind what was looked at
    return counts_.load(sync::relaxed) == seen;
  }

  void begin() {
    // (3) relaxed; alone: stealable_run (4) publishes that the theft has begun
    counts_.fetch_add(1, sync::relaxed);
  }

  void end() {
    // (4) release; pairs with (1): what was put there
    counts_.fetch_add(one_ended - 1, sync::release);
  }

  bool pause(unsigned looks) const { return wait_.pause(looks); }

 private:
  static constexpr u64 one_ended = u64{1} << 32;

  // How many have ended; in the low half, how many are under way.
  alignas(base::line_bytes) sync::atomic<u64> counts_{0};
  waiting wait_;
};

}  // namespace doall::schedules
