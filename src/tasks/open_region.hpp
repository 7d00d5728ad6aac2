// Whether a region has tasks, and is still open to threads that help it: the end of a region is no
// barrier, and a thread whose part has ended may come to help at any time (README.md).
//
// State: `made_`, the number of the region that is open and has tasks; 0: none. `inside_`, the
// helpers in it. A helper counts itself in, and only then looks at the number; the leader resets
// the number when all parts have ended, and only then looks at the count. Both are sequentially
// consistent: the helper sees the end, or the leader waits for it.
//
// Callers: note(), any thread of the region; enter() and exit(), a thread that has run its part of
// region `round`; begin() and close(), the leader, before all parts begin and when all have ended.
// Terminates: the leader waits for helpers, which leave when they find no task; no new one gets in.
// Cost: a region without tasks is closed by one load. Checked by tests/model/model_open_region.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::tasks {

class open_region {
 public:
  // The number of the region that begins; never 0.
  std::uint32_t begin() {
    // (1) relaxed; alone: only the leader writes it
    const std::uint32_t next = std::max(round_.load(sync::relaxed) + 1, 1U);
    // (2) relaxed; alone: the release publishes it
    round_.store(next, sync::relaxed);
    return next;
  }
  std::uint32_t round() const {
    // (3) relaxed; alone: the release has published it; see sleepers.hpp for a thread that is late
    return round_.load(sync::relaxed);
  }

  bool has_tasks() const {
    // (4) relaxed; alone: what a thread does then is ordered by the deques
    return made_.load(sync::relaxed) != 0;
  }
  bool has_tasks_of(std::uint32_t round) const {
    // (5) relaxed; alone: as (4)
    return made_.load(sync::relaxed) == round;
  }

  // Notes that the region has tasks. True: these are the first.
  bool note() {
    // (6) seq_cst; pairs with (8): whoever counts itself in sees it, or is waited for
    return made_.exchange(round(), sync::seq_cst) == 0;
  }

  // False: that region is over, or has no tasks.
  bool enter(std::uint32_t round) {
    // (7) seq_cst; pairs with (11): the leader waits for this thread, or this thread sees the end
    inside_.fetch_add(1, sync::seq_cst);
    // (8) seq_cst; pairs with (6), (10): as (7)
    if (made_.load(sync::seq_cst) == round) return true;
    exit();
    return false;
  }
  void exit() {
    // (9) release; pairs with (11): what this thread did for the region
    inside_.fetch_sub(1, sync::release);
    closing_.open();
  }

  void close(park::spin_bound spin) {
    if (!has_tasks()) return;
    // (10) seq_cst; pairs with (8): as (7)
    made_.store(0, sync::seq_cst);
    // (11) seq_cst; pairs with (7), (9): what the helpers did
    closing_.wait([&] { return inside_.load(sync::seq_cst) == 0; }, spin);
  }

 private:
  // Written at most twice in a region that has tasks.
  sync::atomic<std::uint32_t> made_{0};
  // The leader's: without tasks no other thread reads this line.
  alignas(base::apart_bytes) sync::atomic<std::uint32_t> round_{1};
  sync::atomic<std::uint32_t> inside_{0};
  park::gate closing_;
};

}  // namespace doall::tasks
