// How the pool's threads wait: for the next task, and for a worker that has begun one.
//
// Both kinds of waiters steal meanwhile (stealing.hpp). The shared pool's workers steal anything
// while they wait for a task (slots.cpp); a thread that waits in a loop steals what descends from
// it. So a waiter looks at the deques as often as at the word that announces a task (fine-grain,
// section 3.5).
//
// Both spin for a while and then sleep (src/park). In between, a waiter ensures that the thread it
// waits for gets a CPU (placement.hpp).
#pragma once

#include <sched.h>

#include "base/clock.hpp"
#include "threads/helping.hpp"
#include "threads/pool.hpp"

namespace doall::team {

// A thread that has waited this long for a worker checks whether it is running. Measured from 5 us
// to 1 ms beside a busy program; with less, threads that are only late are pulled too
// (docs/investigations).
inline constexpr std::uint64_t look_ns = 20'000;

// The bed (park/gate.hpp) of a thread that waits where a team may call it for help; null: none.
class helping_bed {
 public:
  helping_bed(helping::chance helped, park::gate& at) : helped_(helped), at_(at) {}
  // Not if the thread has left the team while it spun.
  void lie_down() const {
    lies_ = helped_ && helping::here() == helped_ && helped_.team->lie_down(helped_.round, at_);
  }
  bool is_called() const { return lies_ && helped_.team->is_called(helped_.round, at_); }
  void get_up() const {
    if (lies_) helped_.team->get_up(at_);
  }

 private:
  mutable bool lies_ = false;
  helping::chance helped_;
  park::gate& at_;
};

// Waits for a worker. In a region the waiter does not steal: a stolen part may want a lock that the
// region's caller holds. It helps its own team. If what it runs meanwhile forks, the child leaves
// by an exception, for the worker does not exist there.
template <class Ready>
void pool::wait_for(slot& awaited, Ready ready, const slots& how) {
  stealer* const me = how.helps ? stealer_here() : nullptr;
  const steal::frame* const loop = me != nullptr ? me->current() : nullptr;
  const helping::chance team = how.helps ? helping::chance{} : helping::here();
  const auto ready_or_helped = [&] {
    if (ready()) return true;
    const bool helps = team.wanted();
    if (!helps && (loop == nullptr || !may_steal(*me, loop))) return false;
    park::work_in_look([&] {
      if (helps)
        team.help();
      else
        steal_and_work(*me, loop);
    });
    if (generation_ != how.born) throw left_by_fork();
    return ready();
  };
  // In a crowd the worker gets the CPU when this thread's turn is over.
  const park::spin_bound first = how.spin.takes_turns() ? how.spin : how.spin.at_most(look_ns);
  if (!park::spin(ready_or_helped, first)) {
    const bool pulled =
        !how.spin.takes_turns() && !spin_while_it_runs(awaited, ready_or_helped, how.spin.ns());
    while (!ready()) {
      if (loop == nullptr) {
        awaited.joining.wait(ready, 0, helping_bed(team, awaited.joining));
        ready_or_helped();
      } else {
        const auto ready_or_part = [&] { return ready() || may_steal(*me, loop); };
        awaited.joining.wait(ready_or_part, 0, bed(*me, loop, awaited.joining));
        ready_or_helped();
      }
    }
    if (pulled) awaited.place.send_away();
  }
}

// Spins while the worker runs. Otherwise pulls it to this CPU, where it can run as soon as this
// thread sleeps, and returns false.
template <class Ready>
bool pool::spin_while_it_runs(slot& awaited, Ready ready, std::uint64_t spin_ns) {
  const bool may_pull = spin_ns != 0 && !environment().pinned;
  for (const std::uint64_t began_ns = base::now_ns(); base::now_ns() - began_ns < spin_ns;) {
    // It sleeps instead, and the worker stays where it is.
    if (park::others_want_cpus() || park::mates_here.are_strangers(base::now_ns)) return true;
    const placement& place = awaited.place;
    const std::uint64_t used_ns = place.used_ns();
    if (park::spin(ready, may_pull ? look_ns : spin_ns)) return true;
    if (!may_pull || used_ns == 0 || used_ns != place.used_ns()) continue;
    if (place.pull()) return false;
    break;
  }
  return true;
}

// Waits at the slot's gate for the next task, off the CPU of the thread that launches it; where
// other programs want the CPUs, on that CPU. or_ready() ends the wait, too. A thief passes its bed.
template <class Ready, class OrReady, class... Bed>
void pool::wait_at(slot& at, const placement& place, park::patience& patience, Ready ready,
                   OrReady or_ready, const Bed&... bed) {
  constexpr unsigned looks_a_check = 64;
  unsigned looks = 0;
  const auto ready_or_aside = [&] {
    if (ready()) return true;
    if (++looks % looks_a_check != 0) return false;
    // (1) relaxed; alone: see lease.cpp (2)
    const int launcher = launched_on_.load(sync::relaxed);
    if (launcher >= 0 && !park::others_want_cpus() && launcher == sched_getcpu() && !ready())
      place.evade(launcher);
    return ready();
  };
  // (2) relaxed; alone: see lease.cpp (2)
  const park::spin_bound spin = idle_spin_.load(sync::relaxed);
  place.rest();
  const bool beside_others = park::others_want_cpus();
  const bool is_news = beside_others && !at.beside_others;
  at.beside_others = beside_others;
  if (spin.ns() != 0 && !spin.takes_turns() && !ready()) {
    // (3) relaxed; alone: see lease.cpp (2)
    const int launcher = launched_on_.load(sync::relaxed);
    if (!beside_others) {
      place.give_turn();
    } else if (is_news && launcher >= 0 && launcher != sched_getcpu()) {
      place.follow(launcher);
    }
  }
  patience.wait(at.idle, [&] { return ready_or_aside() || or_ready(); }, spin, bed...);
  place.rise();
}

}  // namespace doall::team
