// Stealing on threads: which threads take part, how they sleep, and what wakes them.
//
// These threads take part: the pool's workers, while they wait for their next task, and every
// thread that starts a loop. src/steal has the algorithm; this file supplies what it needs from
// threads.
//
// steal/wake_up.hpp has the wake-up protocol, in two columns. Its sleepers sleep at two gates:
//
//   an idle worker                               a thread that waits for its loop's end
//   sleeps at its worker's gate, where its next  sleeps at `joining`, which the loop's end
//   task wakes it too                            opens too
//
// A push wakes no thread if running the part takes less time than waking one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/sync.hpp"
#include "deque/theft_pace.hpp"
#include "doall/abi.h"
#include "observe/ledger.hpp"
#include "park/gate.hpp"
#include "park/patience.hpp"
#include "settings/settings.hpp"
#include "sites/small_loops.hpp"
#include "steal/stint.hpp"
#include "steal/wake_up.hpp"
#include "threads/presence.hpp"

namespace doall::team {

// When a thread that has open loops (steal/stay.hpp) considers sharing them, and what it does then.
// Accessed by that thread alone.
struct look_out {
  std::uint64_t began_ns = 0;  // of the outermost loop; 0: not known before the first look
  std::uint64_t looked_ns = 0;
  std::uint64_t offered_ns = 0;
  std::uint64_t next_offer_ns = 0;  // if no thief has taken the last one
  std::uint32_t pieces = 1;         // from one look to the next
  std::uint32_t looks = 0;
  bool alone = false;  // there are no other workers
  bool offers = true;  // the outermost loop has run long enough
  bool wakes = true;   // likewise, to wake a sleeper
};

// A thread that takes part in stealing.
struct alignas(base::apart_bytes) stealer : steal::sleeper<park::gate> {
  stealer(std::uint32_t number, std::uint32_t domain);

  park::gate joining;  // where it waits for the end of a loop that it began
  steal::frame root;   // of the loops that a team led by this thread runs without stealing
  look_out watch;
  deque::theft_pace pace{300};       // of groups' tasks
  steal::frame* scopes = nullptr;    // native/scope.hpp
  bool is_guest = false;             // a thread of the program's, until that ends
  std::uint32_t workers_asked = 0;   // the most for which it has had the pool started
  observe::ledger* books = nullptr;  // its profile; null: no report is wanted, or not yet opened

  // Called by its own thread, or before any other thread knows of it. The caller holds no lock
  // (base/fork.hpp).
  void open_books() {
    if (books == nullptr) books = observe::open_ledger(done);
  }
};

// Takes a loop's place while a report is wanted: a body of doall's counts a piece and calls the
// program's body, and this is its context. So the paths that run loops count nothing.
struct counted_loop {
  doall_body body;  // the program's
  void* context;
  observe::execution seen;

  static int run_piece(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                       std::uint32_t worker);
};

// Lists it as a victim and a sleeper until the end of the process. False when the roster is full:
// it steals, but no thief finds it and no push wakes it.
bool add_stealer(stealer& s);

// This thread's stealer; null if it has none.
stealer* stealer_here();
void set_stealer_here(stealer* s);

// The same, but finds one for a thread that has none; the thread gives it back at its end. Null if
// there is no memory.
stealer* find_stealer();
void give_back_stealer();

// Called in the child of a fork, where only this thread is left.
void forget_stealers();

// Whether the program's own code may run the thread's nested loops (doall/abi.h).
inline bool may_be_inlined(const stealer& me) { return me.books == nullptr && !is_steered(); }

// Called as an outermost loop begins. Leaves `inlined` at 0 if the next loop is due to be timed.
inline void keep_from_inlining(stealer& me) {
  if (!may_be_inlined(me)) me.here.inlined = 0;
}

// Called by a thread that joins an outermost loop which others already work on: it offers its
// nested loops from the start (native/looks.cpp).
void begin_sharing(stealer& me);

// While this object lives, the thread is in an iteration of that loop: loops that it starts are
// nested in it. A thread that leaves its outermost loop withdraws its advert, for it has nothing to
// steal for a while. A thief keeps it, for it looks for more work.
class inside_loop {
 public:
  inside_loop(stealer* me, steal::frame* loop) : me_(me) {
    if (me_ == nullptr) return;
    before_ = me_->current();
    me_->set_current(loop);
    if (before_ == nullptr) begin_sharing(*me_);
  }
  ~inside_loop() {
    if (me_ == nullptr) return;
    me_->set_current(before_);
    if (before_ == nullptr && me_->here.innermost == &me_->here.outermost) me_->withdraw();
  }
  inside_loop(const inside_loop&) = delete;
  inside_loop& operator=(const inside_loop&) = delete;

 private:
  stealer* me_;
  steal::frame* before_ = nullptr;
};

// A cheap look, for a thread that spins: whether another thread has something to steal. With
// `within`, only parts of loops that descend from that loop count.
bool may_steal(stealer& me, const steal::frame* within);

// Steals a part of a loop and works on it until its end. False: found none, after a pause if it
// leaves short tasks to those who made them (deque/theft_pace.hpp). With `within`, takes only parts
// of loops that descend from that loop. `away`: of an idle worker, which has left its worker slot.
bool steal_and_work(stealer& me, const steal::frame* within, presence* away = nullptr);

// What learns how long a thread's own part of a loop took, each iteration of which stands for so
// many of the program's indices.
struct timed_as {
  loop_cost* cost;  // null: it is not timed
  double indices_each;
};

// Runs the loop, the last one begun here, until its end, and returns its verdict.
int run_by_stealing(stealer& me, steal::frame& loop, park::spin_bound spin, const timed_as& timed);

// Ends an open loop that is shared, when its thread leaves it: runs what is left in hand, waits for
// the thieves that have parts of it, and gives its frame back. Returns the loop's verdict, which
// `verdict` sets unless a thief has set it. `own`, if it is not null, gets how many iterations this
// thread ran, and when it had no more.
struct own_share {
  std::uint64_t iterations = 0;
  std::uint64_t until_ns = 0;
};
int finish_shared(stealer& me, steal::stay& open, int verdict, park::spin_bound spin,
                  own_share* own = nullptr);

// Called before a rule runs iterations of a loop that has no frame, while the deque is empty:
// splits the outermost stay that can be split. Returns whether the deque has a part now.
bool offer_outermost(stealer& me);

// For parts that were not pushed in a stay. push_part() pushes one; false if the deque is full.
// wait_for_thieves() waits until no thread has a part of the loop.
bool push_part(stealer& me, const steal::descriptor& one);
void wait_for_thieves(stealer& me, steal::frame& loop, park::spin_bound spin);

// For parts that were pushed without a wake-up: wakes one sleeper that may take the oldest part in
// the deque. False: there is no part, or no such sleeper.
bool call_for(stealer& me);

// The bed (park/gate.hpp) of a thread that may steal when it wakes. With a loop: of a thread that
// waits for that loop's end.
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
