// How the crew's threads wait: for the next task, and for a worker that has begun one.
//
// Both steal meanwhile (stealing.hpp): who waits for a task anything, who waits in a loop what
// descends from it. So the deques are looked at as often as the word that announces a task
// (fine-grain, section 3.5).
//
// Both spin for a while and then sleep (src/park). In between a thread sees to it that who
// is waited for gets a CPU (placement.hpp).
#pragma once

#include <sched.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/tsan.hpp"
#include "team/crew.hpp"

namespace doall::team {

// Who waits longer than that for a worker looks whether it is running. Measured from 5 us
// to 1 ms beside a busy program; sooner, threads that are only late are pulled too
// (docs/investigations).
inline constexpr std::uint64_t look_ns = 20'000;

// Waits for a worker.
template <class Ready>
void crew::wait_for(seat& worker, Ready ready, std::uint64_t spin_ns) {
  stealer* const me = stealer_here();
  const steal::frame* const loop = me != nullptr ? me->current : nullptr;
  const auto ready_or_helped = [&] {
    if (ready()) return true;
    if (loop == nullptr || !may_steal(*me, loop)) return false;
    steal_and_work(*me, loop);
    return ready();
  };
  if (!park::spin(ready_or_helped, std::min(spin_ns, look_ns))) {
    const bool pulled = !spin_while_it_runs(worker, ready_or_helped, spin_ns);
    while (!ready()) {
      if (loop == nullptr) {
        worker.joining.wait(ready, 0);
      } else {
        worker.joining.wait(ready, 0, bed(*me, loop, worker.joining));
        ready_or_helped();
      }
    }
    if (pulled) worker.place.send_away();
  }
  base::tsan_takes(&leased_);
}

// Spins as long as the worker runs; else pulls it here, where it can run as soon as this thread
// sleeps, and returns false.
template <class Ready>
bool crew::spin_while_it_runs(seat& worker, Ready ready, std::uint64_t spin_ns) {
  const bool may_pull = spin_ns != 0 && !environment().pinned;
  for (const std::uint64_t began_ns = base::now_ns(); base::now_ns() - began_ns < spin_ns;) {
    const std::uint64_t used_ns = worker.place.used_ns();
    if (park::spin(ready, may_pull ? look_ns : spin_ns)) return true;
    if (!may_pull || used_ns == 0 || used_ns != worker.place.used_ns()) continue;
    if (worker.place.pull()) return false;
    break;
  }
  return true;
}

// Waits for the next task; out of the way of who launches it.
template <class Ready>
void crew::wait_for_work(seat& mine, park::patience& patience, Ready ready) {
  constexpr unsigned looks_a_check = 64;
  unsigned looks = 0;
  const auto ready_or_aside = [&] {
    if (ready()) return true;
    if (++looks % looks_a_check != 0) return false;
    // (1) relaxed; alone: see lease.cpp (2)
    const int launcher = launched_on_.load(sync::relaxed);
    if (launcher >= 0 && launcher == sched_getcpu() && !ready()) mine.place.evade(launcher);
    return ready();
  };
  for (;;) {
    // (2) relaxed; alone: see lease.cpp (2)
    const std::uint64_t spin_ns = idle_spin_ns_.load(sync::relaxed);
    patience.wait(
        mine.idle, [&] { return ready_or_aside() || may_steal(mine.me, nullptr); }, spin_ns,
        bed(mine.me, nullptr, mine.idle));
    do {
      if (ready()) return;
    } while (steal_and_work(mine.me, nullptr));
  }
}

}  // namespace doall::team
