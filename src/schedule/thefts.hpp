// Counts of a loop's thefts, for schedules in which a thief carries tickets from its victim's run
// to its own (stealable_run.hpp): who finds all runs empty cannot see what is in a thief's hand,
// but can tell that nothing is.
//
// A thief calls begin(), cuts its victim's run, fills its own, and calls end(). Who has nothing
// remembers seen(), looks at every run, and leaves if there was nothing to be stolen and
// none_since(what it remembers); else it looks again.
//
// Why it then misses nothing, where a run with at least so many tickets can be stolen from, be it
// one or more: runs grow by theft alone, and only from one of at least that many. So what it saw
// was all there was, and will be no more. That this holds although the looks are one after the
// other, and orders are weak: say W reaches that many by a theft T from V that the look at W did
// not see. If the look at V saw V before T, V reached that many later than that look, by another
// theft, which happened before T: take that one for T, and so on. If it saw V after T, it saw that
// T had begun (stealable_run (4) and (7)). As none_since() found no more than seen(), T is among
// those that had ended at seen(), so what it put into W was seen, by (4). A run that its owner has
// not begun counts whole; one that somebody is initialising is looked at again.
//
// Terminates: who looks again waits for a thief that is between two counts, or for who
// initialises a run: a handful of instructions, unless that one has lost its CPU.
// Cost: of a theft, two additions on one line; of leaving, two looks at it.
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

class thefts {
 public:
  u64 seen() const {
    // (1) acquire; pairs with (4): what ended thefts have put somewhere is seen
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

  // Before the next look, of so many.
  static void pause(unsigned looks) {
    constexpr unsigned looks_before_yield = 64;
    if (looks < looks_before_yield) {
      sync::relax();
    } else {
      sync::yield();
    }
  }

 private:
  static constexpr u64 one_ended = u64{1} << 32;

  // How many have ended; in the low half, how many are under way.
  alignas(base::line_bytes) sync::atomic<u64> counts_{0};
};

}  // namespace doall::schedules
