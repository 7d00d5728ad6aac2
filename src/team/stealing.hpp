// Stealing on threads: who takes part, how they sleep, and who wakes them.
//
// Who takes part: the crew's workers, while they wait for their next task, and every thread
// that starts a loop. What they do is in src/steal; here is what that leaves open.
//
// Waking. A worker that has found nothing for a while sleeps at its gate, where its next
// task wakes it too. So who pushes a part must find a sleeper and call it:
//   sleeper  (a) sleepers + 1, says that it rests   (b) heavy fence   (c) looks at all deques;
//   sleeps pusher   (d) pushes                             (e) light fence   (f) looks at sleepers;
//   calls one
// Of (c) and (f) one sees what the other side has written (src/park/README.md has the
// argument for the same two fences), so no part lies unseen while everybody sleeps, but for
// parts that take less than it does to wake a thread: for these nobody is called. The called
// one calls the next when it pushes in its turn: as many wake as there is work for.
// Who calls makes the sleeper's `rests` awake: so it wakes one that no other call
// has woken. Idle workers come before threads that wait for their loop's end, which can use
// only what descends from it; all of these are called if no idle worker sleeps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/sync.hpp"
#include "observe/ledger.hpp"
#include "park/gate.hpp"
#include "park/patience.hpp"
#include "steal/stint.hpp"
#include "team/small_loops.hpp"

namespace doall::team {

// Of a thread's nested loops that were offered and that nobody has stolen from: the next ones are
// not offered, one, three, and at most so many in a row. In an iteration of a loop that
// cannot be stolen from the deque is empty at each of them, and tells nothing.
class vain_offers {
 public:
  // Of the next loop, if it takes no more than microseconds.
  bool spare_the_next() {
    if (to_spare_ == 0) return false;
    --to_spare_;
    return true;
  }

  void note_end(bool was_stolen_from) {
    spared_ = was_stolen_from ? 0 : std::min(2 * spared_ + 1, spared_most);
    to_spare_ = spared_;
  }

 private:
  static constexpr std::uint32_t spared_most = 15;

  std::uint32_t spared_ = 0;
  std::uint32_t to_spare_ = 0;
};

// A thread, as it takes part.
struct alignas(base::apart_bytes) stealer : steal::worker {
  stealer(std::uint32_t number, std::uint32_t domain);

  enum class rest : std::uint8_t { awake, idle, joining };

  sync::atomic<rest> rests{rest::awake};
  sync::atomic<park::gate*> at{nullptr};  // where it rests, or did
  park::gate joining;                     // where it waits for the end of a loop that it began
  steal::frame root;  // of the loops that a team led by this thread runs without stealing
  vain_offers offers;
  observe::ledger* const books;  // null: nobody wants a report
};

// Makes it somebody from whom can be stolen, until the end of the process.
bool add_stealer(stealer& s);

// This thread's; null if it has none.
stealer* stealer_here();
void set_stealer_here(stealer* s);

// The same, but one is found for a thread that has none, to be given back at its end; null if
// there is none to be had.
stealer* find_stealer();
void give_back_stealer();

// In the child of a fork, where only this thread is left.
void forget_stealers();

// While it lives the thread is in an iteration of that loop: what it starts is nested in it.
class inside_loop {
 public:
  inside_loop(stealer* me, steal::frame* loop) : me_(me) {
    if (me_ == nullptr) return;
    before_ = me_->current;
    me_->current = loop;
  }
  ~inside_loop() {
    if (me_ != nullptr) me_->current = before_;
  }
  inside_loop(const inside_loop&) = delete;
  inside_loop& operator=(const inside_loop&) = delete;

 private:
  stealer* me_;
  steal::frame* before_ = nullptr;
};

// A cheap look, for a thread that spins: whether one of the others has something to steal,
// within that loop unless it is null.
bool may_steal(stealer& me, const steal::frame* within);

// Steals a part of a loop, within that one unless it is null, and works on it until its end.
// False: there was none.
bool steal_and_work(stealer& me, const steal::frame* within);

// Runs the loop, the last one begun here, until its end, and returns its verdict. `timed`,
// unless it is null, learns how long this thread's own part took.
int run_by_stealing(stealer& me, steal::frame& loop, std::uint64_t spin_ns, loop_cost* timed);

// Whether a nested loop of some microseconds had better not be offered to anybody: a part that
// nobody has stolen lies in the deque, or was offered of late.
inline bool nobody_seems_idle(stealer& me) {
  return !me.own().is_empty() || me.offers.spare_the_next();
}

// Of a worker whose deque is empty: the outermost loop around that can be split is (stint.hpp).
// Whether there is something in the deque now.
bool offer_outermost(stealer& me);

// For parts that were not pushed in a stay. Pushes one, false if the deque is full; takes back
// and works on all that lie above `below`; waits until nobody has a part of the loop.
bool push_part(stealer& me, const steal::descriptor& one);
void work_back_to(stealer& me, std::int64_t below);
void wait_for_thieves(stealer& me, steal::frame& loop, std::uint64_t spin_ns);

// Where a thread lies down that may steal when it rises (park/gate.hpp). With a loop: one that
// waits for its end.
class bed {
 public:
  bed(stealer& me, const steal::frame* within, park::gate& at)
      : me_(me), within_(within), at_(at) {}

  void lie_down() const;
  bool is_called() const;
  void get_up() const;

 private:
  stealer& me_;
  const steal::frame* within_;
  park::gate& at_;
};

}  // namespace doall::team
