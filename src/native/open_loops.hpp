// Open loops: the encountering thread runs them as plain loops until another thread is idle.
//
// steal/stay.hpp defines open loops, and says which of a thread's loops is shared first. This file
// says when. A thread *looks* every few microseconds, and when a thief has taken the last part that
// it offered (worker_thread.hpp, ask). The look acts by what it finds:
//
//   the outermost loop is younger than 3 us: do nothing. Most such loops end before a thief could
//     come, so short ones cost their iterations and a link on the stack;
//   a thief has asked, or the last offer was some time ago, and the deque is empty: give half of
//     what the outermost stay has left;
//   the outermost loop is older than 20 us: wake a sleeper. Before that, waking it costs more than
//     it could help (the ski rental problem).
//
// Offers that no thief takes are made less and less often, down to one in 20 us.
//
// The program's own code has the same loop in its headers (doall/detail/open_loops.hpp). It comes
// here to look, when its loop is shared, and now and then to have it timed. A loop without loops
// inside runs as many iterations without a look as take 400 ns (LBS's ppt, section 3.2). A loop
// with loops inside looks after each iteration, however long these have been.
#pragma once

#include "native/sharing.hpp"

namespace doall::native {

enum class timing : bool { no, yes };

// One: the loop is too short to be shared, unless it has others inside.
enum class pieces : bool { by_cost, one };

// Runs a loop that names no schedule from iteration `first` on, in an iteration of another loop or
// inside an open_root. Returns what the first body to stop it returned.
int run_open(stealer& me, const doall_loop& loop, std::uint64_t first, loop_cost& cost, timing t,
             pieces p = pieces::by_cost);

// Tries a loop of unknown cost inside an open_root: runs its first iterations until a clock can
// tell how long they took; all of it, if there are loops inside.
struct tried {
  int verdict;         // what stopped it, or 0
  std::uint64_t next;  // the first iteration that has not run
};
tried try_open(stealer& me, const doall_loop& loop, loop_cost& cost);

// Tells the site of an outermost loop how many of its indices take about 400 ns.
void tell_grain_of(const doall_loop& loop, const loop_cost& cost);

// Tells it how long outermost loops may be that run without the runtime.
void tell_plain(const doall_loop& loop, const loop_cost& cost, double longest_ns);

// Shares some of the thread's open loops, if an idle thread wants work.
void look(stealer& me);

// Called after each piece of a loop, and for each task. Returns whether it has looked.
inline bool count_piece(stealer& me) {
  const sync::atomic_ref<std::uint32_t> left(me.here.looks_left);
  // (1) relaxed; alone: a thief that asks at the same time asks in vain, until the next look
  const std::uint32_t now_left = left.load(sync::relaxed) - 1;
  // (2) relaxed; alone: as (1)
  left.store(now_left, sync::relaxed);
  if (now_left != 0) [[likely]]
    return false;
  look(me);
  return true;
}

// While it lives, the thread is in an outermost open loop that at most `workers` workers may run.
class open_root {
 public:
  // Whether to read the clock when it begins: in deep recursions the first look may come late.
  enum class clock : bool { at_first_look, now };
  open_root(stealer& me, std::uint32_t workers, clock c);
  ~open_root();
  open_root(const open_root&) = delete;
  open_root& operator=(const open_root&) = delete;

 private:
  stealer& me_;
  look_out around_;  // of the group of tasks around it, if there is one
};

}  // namespace doall::native
