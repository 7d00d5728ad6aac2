// A thread that takes part in stealing: its deque, and its advert.
//
// Adverts. A worker that may have something in its deque advertises, by its bit in a set that its
// roster keeps (roster.hpp). Thieves look at no other worker. Invariant: a worker that has a part
// in its deque advertises. push() sets the bit before each push, and withdraw() clears it only when
// the deque is empty. Only the owner calls either, so there is no race.
// When to withdraw is a matter of cost: a set bit costs each thief a look at an empty deque;
// setting and clearing it costs two writes to a line that all thieves read. So a worker clears its
// bit when it leaves its outermost loop, or has looked for work and found none.
//
// A worker that is in no roster, because that is full, pushes and takes back, and is never stolen
// from.
#pragma once

#include "base/cache_line.hpp"
#include "base/rng.hpp"
#include "base/sync.hpp"
#include "deque/chase_lev.hpp"
#include "deque/counts.hpp"
#include "doall/abi.h"
#include "steal/frame.hpp"
#include "steal/places.hpp"

namespace doall::steal {

using stay = doall_open_loop;  // stay.hpp

// Runs a stolen task: the part is its address.
inline int run_stolen_task(void*, u64 task, u64, u64, std::uint32_t) {
  auto* const t = reinterpret_cast<doall_task*>(task);
  t->run(t);
  return 0;
}

// A task as a part of its group: marked, for a thief looks at a part before it may look at its
// loop. (claiming.hpp has the other mark.)
inline constexpr u64 task_mark = ~u64{0} - 1;
inline part part_of(const doall_task* t) {
  const auto address = reinterpret_cast<std::uintptr_t>(t);
  return {address, address + 1, task_mark};
}
inline bool is_task(const part& what) { return what.chunks == task_mark; }
inline doall_task* task_of(const part& what) { return reinterpret_cast<doall_task*>(what.begin); }

// The kind of all groups of tasks; every other kind has a site. (One for each translation unit, as
// in schedule/splitting.hpp.)
static constexpr doall_open_kind kind_of_groups{run_stolen_task, nullptr};

class alignas(base::apart_bytes) worker_thread {
 public:
  // The most parts in a deque. Halving leaves one for each doubling of a loop's length: 64 for
  // loops of any length, and loops around them have theirs. (A model pays for each word of it in
  // every interleaving.)
#if defined(DOALL_SYNC_MODEL)
  static constexpr std::uint32_t capacity = 4;
#else
  static constexpr std::uint32_t capacity = 256;
#endif

 private:
  using parts = deque::chase_lev<descriptor, capacity>;

 public:
  // The two ends of the worker's deque.
  struct deque_type {
    class owner : private parts::owner {
     public:
      using parts::owner::forget;
      using parts::owner::is_empty;
      using parts::owner::last;
      using parts::owner::pop;
      using parts::owner::position;

      explicit owner(worker_thread& me) : parts::owner(me.deque_), me_(&me) {}

      // False when the deque is full: nothing has happened.
      bool push(const descriptor& one) {
        me_->advertise();
        return parts::owner::push(one);
      }

     private:
      worker_thread* me_;
    };
    using thief = parts::thief;
  };

  worker_thread(std::uint32_t number_, std::uint32_t domain_, u64 seed)
      : number(number_), domain(domain_), dice(seed) {
    here.innermost = here.outermost_open = &here.outermost;
    here.kind_of_groups = &kind_of_groups;
  }
  worker_thread(const worker_thread&) = delete;
  worker_thread& operator=(const worker_thread&) = delete;

  deque_type::owner own() { return deque_type::owner(*this); }
  deque_type::thief stealable() { return deque_type::thief(deque_); }

  // Withdraws the advert if the deque is empty. Called by the owner when it will push nothing for a
  // while.
  void withdraw() {
    if (advertises_ && own().is_empty()) clear_advert();
  }

  // Its place in its roster; nowhere: it is in none.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::uint32_t place() const { return place_; }
  bool is_listed() const { return place_ != nowhere; }

  const std::uint32_t number;  // passed to bodies
  const std::uint32_t domain;
  base::rng dice;
  deque::counts done;   // written by the worker alone
  doall_thread here{};  // its stays, and what the program's own code needs of it
  frame_pool frames;
  bool leaves_tasks = false;  // as a thief, to those who made them (deque/theft_pace.hpp)

  // The innermost loop with a frame in whose iteration the thread is; null: in none.
  frame* current() const { return static_cast<frame*>(here.loop); }
  void set_current(frame* loop) { here.loop = loop; }

 private:
  friend class roster;

  void advertise() {
    if (!advertises_) [[unlikely]]
      set_advert();
  }

  [[gnu::noinline]] void set_advert() {
    if (!is_listed()) return;
    advertises_ = true;
    // (1) relaxed; alone: a thief that sees it late comes late; for sleepers, see wake_up.hpp
    adverts_->fetch_or(bit_of(place_), sync::relaxed);
  }

  [[gnu::noinline]] void clear_advert() {
    advertises_ = false;
    // (2) relaxed; alone: the deque is empty
    adverts_->fetch_and(~bit_of(place_), sync::relaxed);
  }

  // Called by its roster.
  void enter(std::uint32_t place, sync::atomic<u64>& adverts) {
    place_ = place;
    adverts_ = &adverts;
    advertises_ = false;
    if (!own().is_empty()) advertise();
  }

  void leave() {
    place_ = nowhere;
    advertises_ = false;
  }

  std::uint32_t place_ = nowhere;
  bool advertises_ = false;
  sync::atomic<u64>* adverts_ = nullptr;  // the word of the roster's set that has its bit
  parts deque_;
};

// The values of doall_thread::asked.
enum class request : std::uint32_t {
  none,
  made,    // a thread is idle: the worker should look whether it can share more
  refused  // at the last look it could not: thieves should not ask again yet
};

inline void set_asked(worker_thread& me, request r) {
  // (10) relaxed; alone: a request that is lost is made again
  sync::atomic_ref<std::uint32_t>(me.here.asked)
      .store(static_cast<std::uint32_t>(r), sync::relaxed);
}
inline request asked(worker_thread& me) {
  // (12) relaxed; alone: as (10)
  return static_cast<request>(sync::atomic_ref<std::uint32_t>(me.here.asked).load(sync::relaxed));
}

// Sets how many pieces the worker runs before it looks. Called by the worker itself.
inline void set_looks_left(worker_thread& me, std::uint32_t pieces) {
  // (11) relaxed; alone: a thief that asks at the same time asks in vain, until the next look
  sync::atomic_ref<std::uint32_t>(me.here.looks_left).store(pieces, sync::relaxed);
}

inline void make_request(worker_thread& victim) {
  set_asked(victim, request::made);
  // (9) relaxed; alone: as (11)
  sync::atomic_ref<std::uint32_t>(victim.here.looks_left).store(1, sync::relaxed);
}

// Called by a thief that has taken a part of the worker's: asks for more if that was the last.
inline void ask_after_theft(worker_thread& victim) {
  if (victim.stealable().looks_empty()) make_request(victim);
}

// Called by a thief that has found nothing there.
inline void ask_in_vain(worker_thread& victim) {
  if (asked(victim) == request::none) ask_after_theft(victim);
}

// Whether the thief may take a part of that loop: it is one of the loop's workers, and the loop
// descends from the one that the thief waits for, if any.
inline bool may_take(const worker_thread& thief, const frame& loop, const frame* within) {
  // (7) relaxed; alone: as in descends_from()
  if (thief.number >= loop.workers.load(sync::relaxed)) return false;
  return within == nullptr || loop.descends_from(*within);
}

// The loop of the oldest part in the worker's deque; null if there is none. It may have ended by
// now: read only what a thief may read of its frame (frame.hpp).
inline const frame* oldest_loop(worker_thread& of) {
  const frame* oldest = nullptr;
  descriptor none;
  of.stealable().steal(none, [&](const descriptor& seen) {
    oldest = seen.loop;
    return false;
  });
  return oldest;
}

// Whether the thief would find something there.
inline bool has_work(worker_thread& victim, const worker_thread& thief, const frame* within) {
  if (victim.stealable().looks_empty()) return false;
  const frame* const oldest = oldest_loop(victim);
  return oldest != nullptr && may_take(thief, *oldest, within);
}

}  // namespace doall::steal
