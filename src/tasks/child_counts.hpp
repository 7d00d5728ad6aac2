// Counts a task's children, so that the task can wait for them, and so that the last of them knows
// when the task's descriptor is of no more use. Two counters in place of one atomic count: a child
// that runs on its parent's own thread, as most do, costs plain additions.
//
// A child reports twice: *finished*, when its code has ended (and its event is fulfilled), which
// taskwait waits for; and *complete*, when all its descendants are, too, which taskgroup and
// barriers wait for. Both often come together. A count holds both: finished children above 32 bits
// of complete ones. Only differences are used, as whole numbers, so that carries do no harm.
//
// State: `open_`, of the thread that runs the parent, its runner: children made, less those that
// reported on that thread. `away_`: those that reported on other threads. Children are outstanding
// as long as open_ != away_. When the parent's code ends before that, the runner leaves: it takes
// `open_` off `away_`, which from then on rises to 0, and every child reports there. The one that
// brings it to 0 learns that it was the last.
// Invariants: the low half of away_ is 0 after a child's complete report only if the runner has
// left and no child is outstanding (before, it counts at least that report). So it must not wrap:
// when `open_` says that very many may have reported, the runner takes them off both.
//
// Callers: as the names say: by the runner, or by a child's thread. A child is made before it can
// report.
// Cost: a plain addition for each child on the runner's thread; one read-modify-write elsewhere.
// Checked by tests/model/model_child_counts.cpp.
#pragma once

#include <cstdint>

#include "base/sync.hpp"

namespace doall::tasks {

// `Most`: of open_, before the runner takes off what has reported; far more than the tasks that
// there can be at a time.
template <std::uint64_t Most>
class basic_child_counts {
 public:
  using count = std::uint64_t;
  static constexpr count complete = 1;
  static constexpr count finished = count{1} << 32;
  static constexpr count both = complete + finished;

  // Called before any other thread knows of the parent.
  void reset() {
    open_ = 0;
    left_ = false;
    // (1) relaxed; alone: no other thread knows of the parent
    away_.store(0, sync::relaxed);
  }

  // Called by the runner. What was added is a child, or an event.
  void add(count what = both) {
    if (open_ > Most) [[unlikely]]
      take_off_reported();
    open_ += what;
  }

  // Called on the runner's thread. False: the runner has left, so report_away() is to be used.
  bool report_here(count what) {
    if (left_) return false;
    open_ -= what;
    return true;
  }

  // Called by any thread. True: it was the last, and the runner has left: nothing is outstanding.
  bool report_away(count what) {
    // (2) acq_rel; pairs with (2), (3), (4), (5): the one that takes it to 0 has seen what all did
    const count now = away_.fetch_add(what, sync::acq_rel) + what;
    return (what & complete) != 0 && static_cast<std::uint32_t>(now) == 0;
  }

  // Called by the runner: whether all children are finished, or complete.
  bool all_finished() const { return outstanding_finished() == 0; }
  bool all_complete() const {
    // (3) acquire; pairs with (2): what the children did
    return open_ == away_.load(sync::acquire);
  }
  std::uint32_t outstanding_finished() const {
    // (5) acquire; pairs with (2): as (3)
    const count both_open = open_ - away_.load(sync::acquire);
    return static_cast<std::uint32_t>((both_open - static_cast<std::uint32_t>(both_open)) >> 32);
  }

  // Called by the runner, when the parent's code has ended. True: no child is outstanding. Else the
  // last child's report_away() is true.
  bool leave() {
    if (all_complete()) return true;
    left_ = true;
    const count open = open_;  // at (4) the last child may free the parent
    // (4) acq_rel; pairs with (2): as there
    const count before = away_.fetch_sub(open, sync::acq_rel);
    return static_cast<std::uint32_t>(before - open) == 0;
  }

 private:
  void take_off_reported() {
    // (6) relaxed; alone: a count; (7) keeps what reports later
    const count reported = away_.load(sync::relaxed);
    // (7) relaxed; alone: what (3), (4), (5) read after it is in the release sequences of (2)
    away_.fetch_sub(reported, sync::relaxed);
    open_ -= reported;
  }

  count open_ = 0;
  bool left_ = false;
  sync::atomic<count> away_{0};
};
using child_counts = basic_child_counts<std::uint64_t{1} << 63>;

}  // namespace doall::tasks
