// Hybrid's claiming heuristic in deques: a frame {i, w} is a descriptor.
//
// Paper: hybrid, section III, Algorithm 3 and the steal protocol. A worker that takes a frame up
// claims the next partition of it, pushes what is left of the frame, and runs the partition by
// divide and conquer (as ebs-simple does, with the paper's grain). Then it takes the frame back,
// unless it was stolen.
//
// The steal protocol. A thief whose own partition, the one with its number, is free begins a frame
// of its own there. In the paper the victim's frame stays where it was. Here the thief takes it,
// since only a holder of a part may touch the loop, and puts it into its own deque, under its own
// frame, where the next thief can steal it. Otherwise the thief goes on with the frame that it has
// stolen, as with any other descriptor.
//
// Why all partitions run: each frame makes all its claims one after the other, whichever worker
// holds it (Lemma 2, schedule/claims.hpp). The loop's `left` counts frames beside iterations. A
// worker that begins a frame counts it while it holds another frame of the loop, so the loop does
// not end before the last frame.
// What that costs, and what was not tried: docs/investigations/2026-11-25-frames-that-leave.md.
#pragma once

#include <algorithm>
#include <bit>

#include "base/tsan.hpp"
#include "schedule/claims.hpp"
#include "schedule/ebs_simple.hpp"
#include "schedule/hybrid.hpp"
#include "steal/worker_thread.hpp"

namespace doall::steal {

// Has a loop's terms say that it is hybrid's: partitions, and inside them divide and conquer down
// to the paper's grain (section II). Terms: a struct with that part of steal::terms.
template <class Terms>
void divide_in_partitions(Terms& to, const schedules::params& given, schedules::loop_shape shape) {
  constexpr u64 grain_most = 2048;
  constexpr u64 grains_a_worker = 8;
  const u64 usual = std::min(grain_most, shape.iterations / grains_a_worker / shape.workers);
  const auto asked = given.as<schedules::hybrid::options>();
  const u64 grain = std::max<u64>(asked.chunk != 0 ? asked.chunk : usual, 1);
  const u64 parts = asked.parts != 0 ? asked.parts : shape.workers;
  to.partitions = static_cast<std::uint32_t>(std::bit_ceil(std::min<u64>(parts, most_partitions)));
  to.how = &schedules::splitting_operations_of<schedules::ebs_simple>;
  to.how->construct(
      to.rule,
      {.shape = shape, .given = schedules::params::of(schedules::ebs_simple::options{grain})});
}

// The encoding of a frame in a part.
inline constexpr u64 claim_mark = ~u64{0};
inline part part_of(const schedules::claim_frame& at) { return {at.i, at.w, claim_mark}; }
inline bool is_claim_frame(const part& what) { return what.chunks == claim_mark; }
inline schedules::claim_frame claim_frame_of(const part& what) {
  return {static_cast<std::uint32_t>(what.begin), static_cast<std::uint32_t>(what.end)};
}

// The paper's A, as claims.hpp wants it.
class frame_flags {
 public:
  explicit frame_flags(frame& loop) : loop_(loop) {}

  bool claim(std::uint32_t partition) const {
    const u64 mine = u64{1} << partition;
    // (1) relaxed; alone: the flag itself is all that is communicated
    return (loop_.claimed.fetch_or(mine, sync::relaxed) & mine) == 0;
  }
  bool is_claimed(std::uint32_t partition) const {
    // (2) relaxed; alone: a hint; claim() decides
    return (loop_.claimed.load(sync::relaxed) >> partition & 1) != 0;
  }

 private:
  frame& loop_;
};

// At least so many iterations are behind a part: those of a frame's next partition, if it is free.
inline u64 iterations_behind(const terms& t, const part& what) {
  return is_claim_frame(what) ? t.iterations / t.partitions : what.size();
}

// Pushes a frame. False: the deque is full, and nothing has happened. Env: stint.hpp.
template <class Env>
bool push_frame(worker_thread& me, frame& loop, const part& what, Env& env) {
  base::tsan_gives(&loop);
  if (!me.own().push({&loop, what})) return false;
  me.done.pushes += 1;
  env.pushed(me, loop, what);
  return true;
}

// Decides what a thief does with a frame that it holds: its own frame comes first, if its partition
// is free. Returns the frame to go on with.
template <class Env>
schedules::claim_frame choose_frame(worker_thread& me, frame& loop, const part& stolen, Env& env) {
  const std::uint32_t partitions = loop.fixed.get().partitions;
  const bool is_free = me.number < partitions && !frame_flags(loop).is_claimed(me.number);
  if (!is_free) return claim_frame_of(stolen);
  // (3) relaxed; alone: the frame in hand keeps the loop alive. In the deque, where the next thief
  // may find it and run all that is left, it would not.
  loop.left.fetch_add(1, sync::relaxed);
  if (!push_frame(me, loop, stolen, env)) {
    // (4) relaxed; alone: as (3)
    loop.left.fetch_sub(1, sync::relaxed);
    return claim_frame_of(stolen);
  }
  return {.i = 0, .w = me.number};
}

// Claims the next partition of a frame, and returns its iterations. Empty: the frame has ended.
inline part next_partition(worker_thread& me, frame& loop, schedules::claim_frame& at) {
  const terms& t = loop.fixed.get();
  for (;;) {
    const schedules::claim c = next_claim(at, t.partitions, frame_flags(loop));
    me.done.failed_claims += c.failed;
    if (!c.done) return {};
    me.done.claims += 1;
    const schedules::range cut = schedules::partition_of(c.partition, {t.iterations, t.partitions});
    if (cut.size() != 0) return {cut.begin, cut.end};
  }
}

}  // namespace doall::steal
