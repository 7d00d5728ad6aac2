// What the environment says about threads and waiting. Read once, when first
// asked; a bad value warns and counts as unset.
#pragma once

#include <cstdint>
#include <string>

#include "schedule/grammar.hpp"

namespace doall::team {

inline constexpr std::uint32_t most_workers = 1024;

// How a team is released and joined: what doall thinks best, or a variant of
// fine-grain's Table 1, to be measured beside it.
enum class barrier_form { best, centralized, tree, full };

struct settings {
  // DOALL_NUM_THREADS, else the first number of OMP_NUM_THREADS, else what the
  // machine, the affinity mask and the cgroup quota allow.
  std::uint32_t threads = 1;
  std::string threads_why;

  // How long a thread spins before it sleeps, at most: a worker that waits for the
  // next loop, and a thread that waits for others inside of one. The first is also
  // what the worker reckons a wake-up costs: it spins for less, down to nothing,
  // where the gaps between the program's loops have shown that more is in vain
  // (park/patience.hpp). The second may be long, for the others are at work; it
  // keeps the core when one of them is preempted for a time slice. DOALL_SPIN_NS
  // sets both, else OMP_WAIT_POLICY: active 10 s, with which a worker stays awake
  // unless loops come further apart, passive 0, with which nobody ever spins. Whoever
  // was preempted while it spun sleeps for a while, whatever is set.
  std::uint64_t idle_spin_ns = 1'800'000;
  std::uint64_t busy_spin_ns = 10'000'000;

  // Whether a native loop that names no schedule runs on its caller when sharing it
  // would not pay (small_loops.hpp). DOALL_SMALL_LOOPS: alone or shared.
  bool small_loops_alone = true;

  // DOALL_BARRIER: auto, centralized, tree, or full: a tree with a full barrier.
  barrier_form barrier = barrier_form::best;

  // DOALL_OVERSUBSCRIBE=true: native loops may have more workers than CPUs, for bodies that
  // wait rather than compute. Without it so many workers are asked for in vain: they
  // would take turns, at the price of a thread switch each.
  bool oversubscribe = false;

  // CPUs that the process may use: with more workers than these nobody spins.
  std::uint32_t cpus = 1;

  // Whether workers are pinned, one a CPU: OMP_PROC_BIND other than false.
  bool pinned = false;

  // Bytes of stack of a worker; 0: the system's default. OMP_STACKSIZE.
  std::uint64_t stack_bytes = 0;
};

const settings& environment();

// What DOALL_SCHEDULE, or the last doall_set_schedule(), names; which == nullptr
// when neither says anything. It steers native loops that name no schedule, and
// OpenMP loops of the kinds runtime, dynamic and guided.
schedules::spec steering_schedule();
bool is_steered();

// Says once that the schedule, if it goes by costs, has none in a loop, and what is done. Once for
// those that steal by cost, and once for others.
void warn_of_missing_costs(const schedules::spec& how);

// As doall_set_schedule(). Returns the error, empty when it was taken.
std::string set_steering_schedule(const char* text);

}  // namespace doall::team
