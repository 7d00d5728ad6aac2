// A worker's stay with a loop: from the part that it began with or stole, to the end of all
// that it took back from its deque.
//
// LBS, section 3 and Figure 4. The worker has one part in hand and asks the loop's schedule:
// run so many iterations of it, or push the others and keep these. When the hand is empty it
// takes back what it pushed last and nobody has stolen. Work first: the loop's iterations
// come in their order as far as nobody steals, and no deque is touched that is not the
// worker's own.
//
// The end of a loop. The paper counts parts down as each one ends. Here a worker reports,
// once, at the end of its stay, how many iterations it has run; `left` begins as their
// number. So what is not stolen costs no shared write: a loop from which nobody stole ends with
// its starter having run all of it. `left` is 0 when all stays are reported, and nobody
// touches the frame after its report. The starter waits for that, and works on
// descendants of the loop meanwhile (team/stealing.cpp, wait_for_thieves).
//
// Why the starter's wait ends: as long as `left` is not 0 a worker has iterations of the loop
// in hand or in its deque, and it is running: nobody waits inside a stay but for a loop
// further inside, and the innermost ones wait for nobody.
//
// A loop that is stopped: parts in hand count as run from then on, and nothing of them runs.
//
// Env is what differs between threads and virtual time:
//   pushed(me, loop, what)  that part of it can be stolen from `me`
//   completed(starter)      the loop that `starter` began is complete; it may wait
// Cost: a decision for each piece; a push, stores; taking back, one fence.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "base/tsan.hpp"
#include "steal/claiming.hpp"
#include "steal/worker.hpp"

namespace doall::steal {

// Iterations to be run at once.
struct piece {
  u64 begin = 0;
  u64 end = 0;

  bool empty() const { return begin == end; }
};

// What `left` begins as: the iterations, and hybrid's first frame.
inline u64 whole_of(const terms& loop) { return loop.iterations + (loop.partitions != 0 ? 1 : 0); }

class stint {
 public:
  // Of the starter, with the whole loop.
  stint(worker& me, frame& loop) : stint(me, &loop) {
    const terms& t = loop.fixed.get();
    if (t.partitions == 0)
      hand_ = how().whole(rule(), t.iterations);
    else
      go_on_with({.i = 0, .w = me.number & (t.partitions - 1)});
  }

  // Of a thief.
  stint(worker& me, const descriptor& loot) : stint(me, loot.loop) {
    if (is_claim_frame(loot.what))
      go_on_with_stolen(loot.what);
    else
      hand_ = how().stolen(rule(), loot.what);
  }

  // What to run next; empty when the stay is over.
  template <class Env>
  piece next(Env& env) {
    for (;;) {
      if (hand_.size() == 0) {
        if (!take_back()) return {};
        continue;
      }
      if (is_stopped()) {
        take_off(hand_.size());
        continue;
      }
      if (around_ != nullptr && own().is_empty()) offer_outermost(me_, around_, env);
      const schedules::step s = how().decide(rule(), hand_, own().is_empty());
      me_.done.checks += s.keep != hand_.size() ? 1 : 0;
      if (s.what == schedules::step::kind::run) return take_off(s.keep);
      if (!push_behind(s.keep, env)) {
        return take_off(std::min(hand_.size(), loop_.fixed.get().worth));
      }
    }
  }

  // The worker's deque is empty: of its stays, from that one outwards, the outermost whose hand
  // its rule would split does so. The stays inside have nothing in the deque, so what is
  // pushed lies below all of theirs. Not while a group of tasks is open: that takes
  // back whatever lies above the place where it began.
  // O(stays).
  template <class Env>
  static void offer_outermost(worker& me, stint* innermost, Env& env) {
    if (me.groups != 0) return;
    stint* from = nullptr;
    for (stint* at = innermost; at != nullptr; at = at->around_) {
      if (at->would_split()) from = at;
    }
    if (from == nullptr) return;
    const schedules::step s = from->how().decide(from->rule(), from->hand_, true);
    if (!from->push_behind(s.keep, env)) return;
    for (stint* at = me.stay; at != from; at = at->around_) at->below_ = me.own().position();
  }

  // Iterations that it has run, or given up, and frames that it has seen end.
  u64 ran() const { return ran_; }

  // The last thing a thief does with the loop.
  template <class Env>
  void report_to_starter(Env& env) {
    worker& starter = *loop_.fixed.get().starter;
    if (report()) env.completed(starter);
  }

  // The same of the starter; whether the loop is complete. If not, somebody has been robbing it.
  bool report_as_starter() { return ran_ == whole_of(loop_.fixed.get()) || report(); }

  stint(const stint&) = delete;
  stint& operator=(const stint&) = delete;
  ~stint() { me_.stay = around_; }

 private:
  stint(worker& me, frame* loop)
      : me_(me), loop_(*loop), around_(std::exchange(me.stay, this)), below_(own().position()) {}

  // Looked up and not kept: a stay lies on the stack under all loops inside this one.
  worker::deque_type::owner own() const { return me_.own(); }
  const schedules::splitting_operations& how() const { return *loop_.fixed.get().how; }
  const void* rule() const { return loop_.fixed.get().rule; }

  // (2) acq_rel; pairs with (2), (3): who brings it to 0, and the starter, see what all have done
  bool report() { return loop_.left.fetch_sub(ran_, sync::acq_rel) == ran_; }

  // (1) relaxed; alone: who sees it late runs one piece more
  bool is_stopped() const { return loop_.verdict.load(sync::relaxed) != 0; }

  bool would_split() const {
    return hand_.size() > 1 && !is_stopped() &&
           how().decide(rule(), hand_, true).what == schedules::step::kind::push;
  }

  // Keeps so many iterations in hand and pushes the others. A full deque means that there is
  // more than enough to steal: the part stays in hand, and the question comes again when
  // some of it has run (LBS, section 6).
  template <class Env>
  bool push_behind(u64 keep, Env& env) {
    part pushed;
    part kept = hand_;
    how().cut(rule(), keep, kept, pushed);
    base::tsan_gives(&loop_);
    if (!own().push({&loop_, pushed})) return false;
    me_.done.pushes += 1;
    me_.done.splits += 1;
    hand_ = kept;
    env.pushed(me_, loop_, pushed);
    return true;
  }

  piece take_off(u64 n) {
    const piece taken{hand_.begin, hand_.begin + n};
    hand_.begin = taken.end;
    ran_ += n;
    return taken;
  }

  // A frame of hybrid's: a partition comes to hand, and what is left of the frame lies below.
  void go_on_with(schedules::claim_frame at) {
    hand_ = next_partition(me_, loop_, at);
    if (hand_.size() == 0) {
      ran_ += 1;  // the frame
    } else if (own().push({&loop_, part_of(at)})) {
      me_.done.pushes += 1;
    } else {
      frame_in_hand_ = at;
    }
  }

  // Not inlined: it would be on the stack under all loops inside this one.
  [[gnu::noinline]] void go_on_with_stolen(const part& frame) {
    go_on_with(choose_frame(me_, loop_, frame));
  }

  // The part that this stay pushed last, or its front.
  bool take_back() {
    if (frame_in_hand_) {
      go_on_with(*std::exchange(frame_in_hand_, std::nullopt));
      return true;
    }
    me_.done.ends += 1;
    descriptor mine;
    if (own().position() <= below_ || own().is_empty()) return false;
    if (!own().pop(mine)) return false;
    if (is_claim_frame(mine.what)) {
      me_.done.pops += 1;
      go_on_with(claim_frame_of(mine.what));
      return true;
    }
    hand_ = mine.what;
    const u64 keep = is_stopped() ? hand_.size() : how().popped(rule(), hand_);
    if (keep == hand_.size()) {
      me_.done.pops += 1;
      return true;
    }
    part rest;
    how().cut(rule(), keep, hand_, rest);
    own().push({&loop_, rest});  // there is room: it is where it was
    me_.done.pop_parts += 1;
    me_.done.splits += 1;
    me_.done.checks += 1;
    return true;
  }

  worker& me_;
  frame& loop_;
  part hand_;
  std::optional<schedules::claim_frame> frame_in_hand_;  // the deque was full
  stint* around_;       // the worker's stay in one of whose iterations this one is, if any
  std::int64_t below_;  // what lies below it in the deque belongs to loops around this one
  u64 ran_ = 0;
};

// Whether all iterations of the loop have been reported.
inline bool is_complete(const frame& loop) {
  // (3) acquire; pairs with (2): what the iterations did
  return loop.left.load(sync::acquire) == 0;
}

// The iterations in the body's own count.
inline piece to_run(const terms& loop, const piece& p) {
  if (!loop.backwards) return {loop.first + p.begin, loop.first + p.end};
  const u64 end = loop.first + loop.iterations;
  return {end - p.end, end - p.begin};
}

// Makes it the frame of a loop that `me` starts where it is. `fixed` lacks the starter.
inline void set_up(frame* loop, worker& me, terms fixed) {
  fixed.starter = &me;
  loop->fixed.set(fixed);
  // (4) relaxed; alone: the push of a part publishes it, as all below
  loop->parent.store(me.current, sync::relaxed);
  // (5) relaxed; alone: as (4)
  const std::uint32_t around = me.current == nullptr ? 0 : me.current->depth.load(sync::relaxed);
  // (6) relaxed; alone: as (4)
  loop->depth.store(around + 1, sync::relaxed);
  // (10) relaxed; alone: as (4)
  loop->workers.store(fixed.workers, sync::relaxed);
  // (7) relaxed; alone: as (4)
  loop->left.store(whole_of(fixed), sync::relaxed);
  // (9) relaxed; alone: as (4)
  if (fixed.partitions != 0) loop->claimed.store(0, sync::relaxed);
  // (8) relaxed; alone: as (4)
  loop->verdict.store(0, sync::relaxed);
}

// On top of its frames; null when there is no memory.
inline frame* begin(worker& me, const terms& fixed) {
  frame* const loop = me.frames.push();
  if (loop != nullptr) set_up(loop, me, fixed);
  return loop;
}

}  // namespace doall::steal
