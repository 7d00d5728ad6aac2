// When taking turns on a CPU (spin.hpp) is of use, and when it is not.
//
// A waiter that yields gives its CPU to the next thread in line. If that is a thread of its own
// team, the wait gets shorter. If it is another program that computes, the waiter has given away a
// whole time slice, some 3 ms, and is not asked for: a sleeper would have been woken in a fraction
// of that. No call tells a thread who ran in its place. But the process's CPU time does: while
// waiters take turns, the process uses all its CPUs, unless another program has one.
//
// So a turn of others that lasts longer than those of a busy team's short loops is a reason to
// look. If since the last look, 10 to 100 ms ago, the process lacked half a CPU or more, no thread
// of it takes turns for a while: they sleep immediately, and what else holds beside other programs
// (contention.hpp) does. For 10 ms at first, twice as long each time that the next try ends alike,
// at most 320 ms: trying costs some four time slices.
//
// The test errs on one side: a team that leaves CPUs idle in long loops is taken for one beside
// another program, too, and its process's threads sleep. In loops that long, sleeping costs little;
// other callers' short ones lose some 10 us each meanwhile.
//
// State: hints, read and written by all threads that take turns; a lost update costs one look.
// Cost: a load for each wait; for each long turn a system call that adds up the threads' times.
// What was dropped: docs/investigations/2026-11-25-crowds.md.
#pragma once

#include <algorithm>
#include <cstdint>
#if !defined(DOALL_SYNC_MODEL)
#include <sched.h>

#include <ctime>
#endif

#include "base/own_cpus.hpp"
#include "base/sync.hpp"
#include "park/contention.hpp"

namespace doall::park {

class turn_watch {
 public:
  // Longer than a round of turns in loops of which many follow each other in a millisecond, shorter
  // than a time slice.
  static constexpr std::uint64_t long_turn_ns = 500'000;

  // Between two looks. The kernel may count what runs at the moment as of the last tick, 4 ms ago.
  static constexpr std::uint64_t shortest_view_ns = 10'000'000;
  static constexpr std::uint64_t longest_view_ns = 100'000'000;

  static constexpr std::uint64_t shortest_pause_ns = 10'000'000;
  static constexpr std::uint64_t longest_pause_ns = 320'000'000;

  // Whether waiters may take turns now.
  bool allows(std::uint64_t now_ns) const {
    // (1) relaxed; alone: a hint
    return now_ns >= until_ns_.load(sync::relaxed);
  }

  // Called after a long turn of others; whether to go on. The process has used `used_ns` of CPU
  // time in all, and may use that many CPUs.
  bool goes_on(std::uint64_t now_ns, std::uint64_t used_ns, std::uint64_t cpus) {
    // (2) relaxed; alone: a hint
    const std::uint64_t view_ns = now_ns - looked_ns_.load(sync::relaxed);
    if (view_ns < shortest_view_ns) return true;
    // (3) relaxed; alone: a hint
    looked_ns_.store(now_ns, sync::relaxed);
    // (4) relaxed; alone: a hint. In the child of a fork the difference may wrap: that is much
    const std::uint64_t used_in_view_ns = used_ns - used_ns_.exchange(used_ns, sync::relaxed);
    if (view_ns > longest_view_ns) return true;
    if (used_in_view_ns / view_ns >= cpus || 2 * used_in_view_ns >= (2 * cpus - 1) * view_ns) {
      return true;
    }
    pause_from(now_ns);
    return false;
  }

  // The end of the last pause.
  std::uint64_t until_ns() const {
    // (9) relaxed; alone: a hint
    return until_ns_.load(sync::relaxed);
  }

 private:
  void pause_from(std::uint64_t now_ns) {
    // (5) relaxed; alone: a hint
    const std::uint64_t last_ns = pause_ns_.load(sync::relaxed);
    // (6) relaxed; alone: a hint
    const std::uint64_t ended_ns = until_ns_.load(sync::relaxed);
    const bool soon = last_ns != 0 && now_ns < ended_ns + std::max(last_ns, longest_view_ns);
    const std::uint64_t next_ns =
        soon ? std::min(2 * last_ns, longest_pause_ns) : shortest_pause_ns;
    // (7) relaxed; alone: a hint
    pause_ns_.store(next_ns, sync::relaxed);
    // (8) relaxed; alone: a hint
    until_ns_.store(now_ns + next_ns, sync::relaxed);
  }

  sync::atomic<std::uint64_t> until_ns_{0};   // no turns before
  sync::atomic<std::uint64_t> pause_ns_{0};   // how long the last pause was
  sync::atomic<std::uint64_t> looked_ns_{0};  // when goes_on() last looked
  sync::atomic<std::uint64_t> used_ns_{0};    // what the process had used then
};

#if defined(DOALL_SYNC_MODEL)

inline bool may_take_turns(std::uint64_t) { return true; }
inline bool turns_go_on(std::uint64_t, std::uint64_t) { return true; }

#else

inline constinit turn_watch turns;

// As many as the process may use when it starts.
inline const std::uint64_t cpus_at_start = [] {
  const std::uint32_t cpus = base::count_own_cpus();
  return cpus != 0 ? cpus : std::uint32_t{CPU_SETSIZE};  // not known: as if others had none of them
}();

inline bool may_take_turns(std::uint64_t now_ns) { return turns.allows(now_ns); }

// Called after each turn of others.
inline bool turns_go_on(std::uint64_t now_ns, std::uint64_t turn_ns) {
  timespec used{};
  if (turn_ns < turn_watch::long_turn_ns) return true;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return true;
  const auto used_ns = static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
                       static_cast<std::uint64_t>(used.tv_nsec);
  if (turns.goes_on(now_ns, used_ns, cpus_at_start)) return true;
  notice_others(turns.until_ns());
  return false;
}

#endif

}  // namespace doall::park
