// A worker's stays: the loops in whose iterations its thread is, as a list on its stack.
//
// A stay has iterations in hand that no thread has begun, [next, end). It is one of
//
//   open    a loop that the program's own code runs where it met it (doall/abi.h); no other thread
//           knows of it, and it has no frame
//   shared  an open loop that has given some of its iterations away: it has a frame
//   group   a group of tasks (open_group.hpp)
//   stint   what stint.hpp runs: the whole loop, or a stolen part
//
// Sharing begins with the outermost stay: when a thread's deque is empty, the outermost stay that
// its rule would split gives half of what it has. A part of a loop near the root is the largest
// there is, so it lasts: nested loops pay for an offer only when a thief has taken the last one.
// That is lazy binary splitting (LBS, section 3) with the whole stack in the place of one loop.
//
// State, in the thread's doall_thread: the innermost stay, and `outermost_open`. Invariant: no stay
// outside outermost_open has anything to split. So it moves inwards past stays that are exhausted,
// and outwards only when its own stay ends; each stay is passed once. A stay that takes a part back
// from the deque is then the innermost, so the invariant holds.
// Cost: an offer is O(1) amortised over the stays that were begun, whatever the depth.
#pragma once

#include <algorithm>
#include <utility>

#include "base/tsan.hpp"
#include "doall/abi.h"
#include "doall/detail/site_word.hpp"
#include "schedule/lbs.hpp"
#include "steal/worker_thread.hpp"

namespace doall::steal {

inline bool is_open(const stay& s) { return s.limit != 0; }

inline bool is_group(const stay& s) { return s.kind != nullptr && s.kind->site == nullptr; }

inline frame& frame_of(const stay& s) { return *static_cast<frame*>(s.loop); }

// Iterations that no worker has begun.
inline part hand_of(const stay& s) { return {s.next, s.end}; }

// An open loop's own threshold: how many iterations it runs without a look.
inline u64 grain_of(const stay& s) {
  // (1) relaxed; alone: an estimate
  const detail::site_word told(sync::atomic_ref<u64>(s.kind->site->word).load(sync::relaxed));
  return told.is_known() && !told.nests() ? told.grain() : 1;
}

// Whether half of what a loop has left is worth an offer, while its thread is in an iteration.
inline bool worth_giving(const stay& s) {
  const u64 left = s.end - s.next;
  const u64 grain = grain_of(s);
  return grain == 1 ? left != 0 : left > grain;
}

inline void link(worker_thread& me, stay& s) {
  s.around = me.here.innermost;
  s.inside = nullptr;
  s.around->inside = &s;
  me.here.innermost = &s;
}

inline void unlink(worker_thread& me, stay& s) {
  me.here.innermost = s.around;
  if (me.here.outermost_open == &s) me.here.outermost_open = s.around;
}

// The initial value of `left`: the iterations, and hybrid's first frame.
inline u64 whole_of(const terms& loop) { return loop.iterations + (loop.partitions != 0 ? 1 : 0); }

// Makes it the frame of a loop inside `around`; the caller sets `left`.
inline void begin_in(frame& loop, frame* around, const terms& fixed) {
  loop.fixed.set(fixed);
  loop.is_orphan = false;
  // (2) relaxed; alone: the push of a part publishes it, as all below
  loop.parent.store(around, sync::relaxed);
  // (3) relaxed; alone: as (2)
  const std::uint32_t depth = around == nullptr ? 0 : around->depth.load(sync::relaxed);
  // (4) relaxed; alone: as (2)
  loop.depth.store(depth + 1, sync::relaxed);
  const bool alone = around != nullptr && is_for_starter_alone(*around);
  // (5) relaxed; alone: as (2)
  loop.workers.store(alone ? 0 : fixed.workers, sync::relaxed);
  // (6) relaxed; alone: as (2)
  if (fixed.partitions != 0) loop.claimed.store(0, sync::relaxed);
  // (7) relaxed; alone: as (2)
  loop.verdict.store(0, sync::relaxed);
}

// The same for a loop that `me` starts; `fixed` lacks the starter.
inline void set_up(frame* loop, worker_thread& me, frame* around, terms fixed) {
  fixed.starter = &me;
  begin_in(*loop, around, fixed);
  // (8) relaxed; alone: as (2)
  loop->left.store(whole_of(fixed), sync::relaxed);
}

// Gives an open loop a frame, from which its parts can be stolen. False: there is no memory.
inline bool make_shared(worker_thread& me, stay& open) {
  frame* const made = me.frames.take();
  if (made == nullptr) return false;
  const u64 grain = grain_of(open);
  auto* const around = static_cast<frame*>(open.loop);
  terms t{.iterations = open.end,
          .workers = workers_of(around),
          .how = &schedules::splitting_operations_of<schedules::lbs>,
          .worth = grain,
          .body = open.kind->body,
          .context = &open,
          .fp = base::fp_state::of_this_thread()};
  t.how->construct(t.rule, {.given = schedules::params::of(schedules::lbs::options{.ppt = grain})});
  set_up(made, me, around, t);
  open.loop = made;
  open.limit = 0;  // its thread comes to the runtime after the iteration that it is in
  return true;
}

}  // namespace doall::steal
