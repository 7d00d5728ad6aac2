// Waiting awake, for a bounded time: on the core, or in turns with other threads.
//
// The clock is read between rounds of looks, not between looks: a pause takes 10 to 50 ns, reading
// the clock 25. A wait that ends in the first round never reads it, so a loop that follows
// immediately is not delayed by it.
//
// Spinning is a bet that the wait is short and that no other thread wants the core. A preempted
// spinner has lost it. So when the clock has jumped between two looks, the spin ends and reports
// the preemption.
//
// In a crowd, with more threads than CPUs, a spinner most likely holds the core of a thread that it
// waits for. There a waiter takes turns: it looks, gives the core to the next thread that wants it
// (sched_yield), and looks again. A turn costs a thread switch, about 1 us, where sleeping and
// being woken costs several, most of them the waker's. With no other thread on the core the yield
// returns immediately, and taking turns is spinning. Time passes for it while others run, too; they
// have not preempted it. turns.hpp notices when these others are other programs.
// What was tried beside another program: docs/investigations/2026-11-28-waits-beside-others.md.
#pragma once

#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "base/sync.hpp"
#include "park/contention.hpp"
#include "park/mates.hpp"
#include "park/pause.hpp"
#include "park/turns.hpp"

namespace doall::park {

// A round takes 0.5 to 3 us. An interrupt may lengthen it tenfold; another thread on the core takes
// at least a good part of its time slice, 0.7 to 4 ms on Linux.
inline constexpr int looks_a_round = 32;
inline constexpr std::uint64_t preempted_ns = 100'000;

// How long a wait may spin before it sleeps, and whether it takes turns. One word, for waiters read
// it while other threads change it.
class spin_bound {
 public:
  constexpr spin_bound(std::uint64_t ns = 0) : bits_(manners * ns) {}  // NOLINT: a time is a bound

  // The same for a crowd's waiter.
  constexpr spin_bound in_turns() const { return {ns(), turns}; }
  // The same for a waiter that does not know where the thread runs that it waits for. In a crowd it
  // takes turns.
  constexpr spin_bound giving_way() const { return takes_turns() ? *this : spin_bound{ns(), way}; }
  constexpr spin_bound at_most(std::uint64_t ns) const {
    return {ns < this->ns() ? ns : this->ns(), bits_ % manners};
  }

  constexpr std::uint64_t ns() const { return bits_ / manners; }
  constexpr bool takes_turns() const { return bits_ % manners == turns; }
  constexpr bool gives_way() const { return bits_ % manners == way; }
  bool operator==(const spin_bound&) const = default;

 private:
  static constexpr std::uint64_t turns = 1;
  static constexpr std::uint64_t way = 2;
  static constexpr std::uint64_t manners = 4;

  // No time is no manner.
  constexpr spin_bound(std::uint64_t ns, std::uint64_t manner)
      : bits_(ns == 0 ? 0 : manners * ns + manner) {}

  std::uint64_t bits_;  // the time, and how it spins
};

// How long the calling thread has worked inside its looks since this was last taken.
inline constinit thread_local std::uint64_t worked_ns = 0;
inline std::uint64_t take_worked_ns() { return std::exchange(worked_ns, 0); }

// Called in a look: executes what the thread may execute while it waits. No other thread has had
// the core meanwhile.
template <class Work>
void work_in_look(Work work) {
  // What waits inside take and add is in this one's time.
  const std::uint64_t before_ns = take_worked_ns();
  const std::uint64_t began_ns = base::now_ns();
  work();
  worked_ns = before_ns + (base::now_ns() - began_ns);
}

struct spun {
  bool ready = false;
  bool preempted = false;
  std::uint64_t ns = 0;  // how long; 0: less than a round

  explicit operator bool() const { return ready; }
};

// Looks until ready(), or for about that time. The thread next in line runs between two looks. Ends
// early, or does not begin, beside another program that computes.
template <class Ready>
spun take_turns(Ready ready, std::uint64_t ns) {
  const std::uint64_t began_ns = base::now_ns();
  if (!may_take_turns(began_ns)) return {};
  end_pause_in_time();
  take_worked_ns();
  for (std::uint64_t looked_ns = began_ns;;) {
    sync::yield();
    const bool done = ready();
    const std::uint64_t now_ns = base::now_ns();
    const bool ends = !turns_go_on(now_ns, now_ns - looked_ns - take_worked_ns());
    if (done || ends || now_ns - began_ns >= ns) return {.ready = done, .ns = now_ns - began_ns};
    looked_ns = now_ns;
  }
}

// Yields the CPU once, and looks. Learns who runs there.
template <class Ready>
spun give_way(Ready ready) {
  const std::uint64_t began_ns = base::now_ns();
  take_worked_ns();
  sync::yield();
  const bool done = ready();
  const std::uint64_t ns = base::now_ns() - began_ns - take_worked_ns();
  const bool preempted = ns > preempted_ns;
  mates_here.learn(done, preempted, base::now_ns);
  if (preempted) notice_preemption(began_ns + ns, ns);
  return {.ready = done, .preempted = preempted, .ns = ns};
}

// Looks until ready(), or for about the time of `bound` and at most two rounds or one turn more, or
// until it is preempted. Looks once if that time is 0, and beside other programs; there it yields
// once if that has ended its last waits.
template <class Ready>
spun spin(Ready ready, spin_bound bound) {
  if (ready()) return {.ready = true};
  if (bound.ns() == 0) return {};
  if (bound.takes_turns()) return take_turns(ready, bound.ns());
  if (others_want_cpus()) {
    return bound.gives_way() && mates_here.are_here() ? give_way(ready) : spun{};
  }
  // A wait among threads that run is over before it is asked who shares the CPU.
  constexpr int looks_of_mates = looks_a_round / 2;
  for (int i = 0; i < looks_a_round; ++i) {
    if (i == looks_of_mates && bound.gives_way() && mates_here.are_here()) {
      if (const spun first = give_way(ready); first.ready || first.preempted) return first;
    }
    sync::relax();
    if (ready()) return {.ready = true};
  }
  if (mates_here.are_strangers(base::now_ns)) return {};
  const std::uint64_t began_ns = base::now_ns();
  take_worked_ns();
  for (std::uint64_t looked_ns = began_ns;;) {
    bool done = false;
    for (int i = 0; i < looks_a_round && !done; ++i) {
      long_pause();
      done = ready();
    }
    std::uint64_t now_ns = base::now_ns();
    const std::uint64_t away_ns = now_ns - looked_ns - take_worked_ns();
    bool preempted = away_ns > preempted_ns;
    if (preempted) {
      mates_here.expect_strangers(base::now_ns);
      notice_preemption(now_ns, away_ns);
    }
    if (!done && !preempted && bound.gives_way() && now_ns - began_ns > mates::alone_ns) {
      const spun last = give_way(ready);
      done = last.ready;
      preempted = last.preempted;
      now_ns = base::now_ns();
    }
    if (done || preempted || now_ns - began_ns >= bound.ns()) {
      return {.ready = done, .preempted = preempted, .ns = now_ns - began_ns};
    }
    looked_ns = now_ns;
  }
}

// Whether a waiter may leave what there is to others for microseconds, awake. Not where threads
// take turns, or sleep at once, or other programs are: it would keep the one that it leaves it to
// from its CPU.
inline bool may_rest(spin_bound bound) {
  return bound.ns() != 0 && !bound.takes_turns() && !others_want_cpus();
}

// A pause of one that rests.
inline void rest_awake() {
  constexpr int pauses = 8;
  const std::uint64_t began_ns = base::now_ns();
  for (int i = 0; i < pauses; ++i) sync::relax();
  const std::uint64_t now_ns = base::now_ns();
  if (now_ns - began_ns > preempted_ns) notice_preemption(now_ns, now_ns - began_ns);
}

}  // namespace doall::park
