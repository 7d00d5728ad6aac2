// A stint, a worker's stay with a loop: from the part that it began with or stole, to the end of
// all that it took back from its deque.
//
// LBS, section 3 and Figure 4. The worker has one part in hand and asks the loop's schedule: run
// so many iterations of it, or keep these and push the others. When the hand is empty it takes back
// the part that it pushed last, unless that was stolen. This is work first: without thieves the
// loop's iterations run in order, and a worker touches only its own deque.
//
// The end of a loop. The paper counts parts down as each one ends. Here a worker reports once, at
// the end of its stay, how many iterations it has run; `left` begins as their number. So what is
// not stolen costs no shared write: if nothing is stolen, the starter has run all of it. `left` is
// 0 when all stays are reported, and no worker touches the frame after its report. The starter
// waits for that, and works on descendants of the loop meanwhile (threads/stealing.cpp,
// wait_for_thieves).
//
// Why the starter's wait ends: as long as `left` is not 0 a worker has iterations of the loop in
// hand or in its deque, and it is running. Inside a stay a worker waits only for a loop further
// inside, and the innermost ones wait for no loop.
//
// When a loop is stopped, parts in hand count as run from then on, and none of them runs.
//
// Env is what differs between threads and virtual time:
//   pushed(me, loop, what)  that part of the loop, or frame of hybrid's, can be stolen from `me`
//   completed(starter)      the loop that `starter` began is complete; it may wait
// Cost: a decision for each piece; a push, stores; taking back, one fence.
// Why the outermost part is offered: docs/investigations/2026-11-22-lbs-in-virtual-time.md.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "base/tsan.hpp"
#include "steal/claiming.hpp"
#include "steal/open_group.hpp"

namespace doall::steal {

// Iterations to be run at once.
struct piece {
  u64 begin = 0;
  u64 end = 0;

  bool empty() const { return begin == end; }
};

// Keeps the first `keep` iterations of the stay's hand, and pushes the others. False: the deque is
// full, and nothing has happened. Then there is more than enough to steal, and the stay asks again
// when some of the hand has run (LBS, section 6).
template <class Env>
bool push_behind(worker_thread& me, stay& s, part& hand, u64 keep, Env& env) {
  frame& loop = frame_of(s);
  const terms& t = loop.fixed.get();
  part pushed;
  part kept = hand;
  t.how->cut(t.rule, keep, kept, pushed);
  base::tsan_gives(&loop);
  if (!me.own().push({&loop, pushed})) return false;
  me.done.pushes += 1;
  me.done.splits += 1;
  hand = kept;
  s.end = kept.end;
  env.pushed(me, loop, pushed);
  return true;
}

class stint : private stay {
 public:
  // For the starter, with the whole loop.
  template <class Env>
  stint(worker_thread& me, frame& loop, Env& env) : stint(me, &loop) {
    const terms& t = loop.fixed.get();
    if (t.partitions == 0)
      take_up(how().whole(rule(), t.iterations));
    else
      go_on_with({.i = 0, .w = me.number & (t.partitions - 1)}, env);
  }

  // For a thief.
  template <class Env>
  stint(worker_thread& me, const descriptor& taken, Env& env) : stint(me, taken.loop) {
    if (is_claim_frame(taken.what))
      go_on_with_stolen(taken.what, env);
    else
      take_up(how().stolen(rule(), taken.what));
  }

  // For the starter of a shared open loop, with what it has left.
  stint(worker_thread& me, stay& shared) : stint(me, &frame_of(shared)) {
    take_up(hand_of(shared));
    ran_ = shared.next;
    shared.next = shared.end;
  }

  // What to run next; empty when the stay is over.
  template <class Env>
  piece next(Env& env) {
    for (;;) {
      if (size() == 0) {
        if (!take_back(env)) return {};
        continue;
      }
      if (is_stopped()) {
        take_off(size());
        continue;
      }
      if (how().offers_outermost && own().is_empty()) offer_outermost(me_, this, env);
      const part mine = hand();
      const schedules::step s = how().decide(rule(), mine, own().is_empty());
      me_.done.checks += s.keep != mine.size() ? 1 : 0;
      if (s.what == schedules::step::kind::run) return take_off(s.keep);
      if (!push(s.keep, env)) return take_off(std::min(size(), terms_of().worth));
    }
  }

  // Finds the outermost of the worker's stays outside `before` that its rule would split, and
  // pushes what it does not keep. Returns whether it did. Called when the deque is empty: then no
  // stay has a part there that would lie below those of a stay further outside.
  template <class Env>
  static bool offer_outermost(worker_thread& me, const stay* before, Env& env) {
    for (stay* at = me.here.outermost_open; at != before; at = at->inside) {
      me.here.outermost_open = at;
      if (would_split(*at)) return offer(me, *at, env);
      if (at == me.here.innermost) return false;
    }
    return false;
  }

  // How many iterations it has run, or given up, plus hybrid's frames that it has seen end.
  u64 ran() const { return ran_; }

  // Reports to the starter. A thief's last access to the loop.
  template <class Env>
  void report_to_starter(Env& env) {
    worker_thread& starter = *terms_of().starter;
    if (report()) env.completed(starter);
  }

  // The same for the starter. Returns whether the loop is complete; if not, thieves have parts of
  // it.
  bool report_as_starter() { return ran_ == whole_of(terms_of()) || report(); }

  stint(const stint&) = delete;
  stint& operator=(const stint&) = delete;
  ~stint() { unlink(me_, *this); }

 private:
  stint(worker_thread& me, frame* of) : stay{}, me_(me) {
    loop = of;
    link(me, *this);
  }

  // Looked up and not kept: a stay lies on the stack under all loops inside this one.
  worker_thread::deque_type::owner own() const { return me_.own(); }
  const terms& terms_of() const { return frame_of(*this).fixed.get(); }
  const schedules::splitting_operations& how() const { return *terms_of().how; }
  const void* rule() const { return terms_of().rule; }

  // The hand: the stay's iterations, and ebs-auto's count.
  part hand() const { return {stay::next, end, chunks_}; }
  u64 size() const { return end - stay::next; }
  void take_up(const part& what) {
    stay::next = what.begin;
    end = what.end;
    chunks_ = what.chunks;
  }

  // (2) acq_rel; pairs with (2), (3): the last to report, and the starter, see what all have done
  bool report() { return frame_of(*this).left.fetch_sub(ran_, sync::acq_rel) == ran_; }

  static bool is_stopped(const frame& loop) {
    // (1) relaxed; alone: a worker that sees it late runs one piece more
    return loop.verdict.load(sync::relaxed) != 0;
  }
  bool is_stopped() const { return is_stopped(frame_of(*this)); }

  // The hand of any stay. A stint has no `kind`.
  static part hand_in(const stay& s) {
    return s.kind == nullptr ? static_cast<const stint&>(s).hand() : hand_of(s);
  }

  static bool would_split(const stay& s) {
    if (s.next == s.end) return false;  // also the stay around all others, which is no stint
    if (s.loop != nullptr && is_for_starter_alone(frame_of(s))) return false;
    // An open loop's thread is in an iteration of it: it may give all others away.
    if (is_open(s)) return worth_giving(s);
    if (is_group(s)) return true;
    if (is_stopped(frame_of(s))) return false;
    if (s.kind != nullptr) return worth_giving(s);
    const terms& t = frame_of(s).fixed.get();
    const part hand = hand_in(s);
    return hand.size() > 1 && t.how->decide(t.rule, hand, true).what == schedules::step::kind::push;
  }

  template <class Env>
  static bool offer(worker_thread& me, stay& s, Env& env) {
    if (is_group(s)) return offer_tasks(me, group_of(s), env);
    if (is_open(s) && !make_shared(me, s)) return false;
    const terms& t = frame_of(s).fixed.get();
    part hand = hand_in(s);
    const u64 keep = s.kind != nullptr ? hand.size() / 2 : t.how->decide(t.rule, hand, true).keep;
    if (!push_behind(me, s, hand, keep, env)) return false;
    if (s.kind == nullptr) static_cast<stint&>(s).take_up(hand);
    return true;
  }

  template <class Env>
  bool push(u64 keep, Env& env) {
    part mine = hand();
    if (!push_behind(me_, *this, mine, keep, env)) return false;
    take_up(mine);
    return true;
  }

  piece take_off(u64 n) {
    const piece taken{stay::next, stay::next + n};
    stay::next = taken.end;
    ran_ += n;
    return taken;
  }

  // Goes on with a frame of hybrid's: takes up a partition, and pushes the rest of the frame.
  template <class Env>
  void go_on_with(schedules::claim_frame at, Env& env) {
    take_up(next_partition(me_, frame_of(*this), at));
    if (size() == 0) {
      ran_ += 1;  // the frame
    } else if (!push_frame(me_, frame_of(*this), part_of(at), env)) {
      frame_in_hand_ = at;
    }
  }

  // Not inlined: it would be on the stack under all loops inside this one.
  template <class Env>
  [[gnu::noinline]] void go_on_with_stolen(const part& frame, Env& env) {
    go_on_with(choose_frame(me_, frame_of(*this), frame, env), env);
  }

  // Takes back the part that this stay pushed last, or its front. Parts that other stays have
  // pushed since are gone: stays inside this one have ended, and a stay outside it pushes only when
  // the deque is empty, after which this one has nothing there.
  template <class Env>
  bool take_back(Env& env) {
    if (frame_in_hand_) {
      go_on_with(*std::exchange(frame_in_hand_, std::nullopt), env);
      return true;
    }
    me_.done.ends += 1;
    descriptor mine;
    if (own().is_empty() || own().last().loop != &frame_of(*this)) return false;
    if (!own().pop(mine)) return false;
    if (is_claim_frame(mine.what)) {
      me_.done.pops += 1;
      go_on_with(claim_frame_of(mine.what), env);
      return true;
    }
    part back = mine.what;
    const u64 keep = is_stopped() ? back.size() : how().popped(rule(), back);
    if (keep == back.size()) {
      take_up(back);
      me_.done.pops += 1;
      return true;
    }
    part rest;
    how().cut(rule(), keep, back, rest);
    take_up(back);
    own().push({&frame_of(*this), rest});  // there is room: it is where it was
    me_.done.pop_parts += 1;
    me_.done.splits += 1;
    me_.done.checks += 1;
    return true;
  }

  worker_thread& me_;
  std::optional<schedules::claim_frame> frame_in_hand_;  // the deque was full
  u64 chunks_ = 0;
  u64 ran_ = 0;
};

// Whether all iterations of the loop have been reported.
inline bool is_complete(const frame& loop) {
  // (3) acquire; pairs with (2): what the iterations did
  return loop.left.load(sync::acquire) == 0;
}

// The piece in the body's own numbers.
inline piece to_run(const terms& loop, const piece& p) {
  if (!loop.backwards) return {loop.first + p.begin, loop.first + p.end};
  const u64 end = loop.first + loop.iterations;
  return {end - p.end, end - p.begin};
}

// Begins a loop inside the worker's current one. Null when there is no memory.
inline frame* begin(worker_thread& me, const terms& fixed) {
  frame* const loop = me.frames.take();
  if (loop != nullptr) set_up(loop, me, me.current(), fixed);
  return loop;
}

}  // namespace doall::steal
