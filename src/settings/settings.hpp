// The environment's settings for threads and waiting. Read once, at the first use; a bad value
// warns and counts as unset.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "schedule/grammar.hpp"
#include "topology/places.hpp"

namespace doall::team {

inline constexpr std::uint32_t most_workers = 1024;

// How a team is released and joined: doall's own choice, or a variant of fine-grain's Table 1, for
// comparison.
enum class barrier_form { best, centralized, tree, full };

struct settings {
  // DOALL_NUM_THREADS, else the first number of OMP_NUM_THREADS, else what the machine, the
  // affinity mask and the cgroup quota allow.
  std::uint32_t threads = 1;
  std::string threads_why;
  // OMP_NUM_THREADS, of several numbers: by level, the first one is `threads`. Otherwise empty.
  std::vector<std::uint32_t> threads_by_level;

  // The most time that a thread spins before it sleeps: idle_spin_ns for a worker that waits for
  // the next loop, busy_spin_ns for a thread that waits for others inside one. The first is also
  // what the worker takes a wake-up to cost: it spins for less, down to nothing, if the gaps
  // between the program's loops have shown that more is in vain (park/patience.hpp). The second may
  // be long, for the others are at work; it keeps the core when one of them is preempted for a time
  // slice. DOALL_SPIN_NS sets both, else OMP_WAIT_POLICY: active is 10 s, so that a worker stays
  // awake unless loops come further apart; passive is 0, so that no thread ever spins; else LLVM's
  // KMP_BLOCKTIME, for programs that set it. A thread that was preempted while it spun sleeps for a
  // while, whatever is set.
  std::uint64_t idle_spin_ns = 1'800'000;
  std::uint64_t busy_spin_ns = 10'000'000;

  // Whether a native loop that names no schedule runs on its caller when sharing it would not pay
  // (src/decide/README.md). DOALL_SMALL_LOOPS: alone or shared.
  bool small_loops_alone = true;

  // Whether `auto` runs OpenMP loops for which the program names no schedule, as far as the
  // compiler leaves them to the runtime (omp/unnamed_loops.hpp), and whether its choices are
  // frozen, in native loops too. DOALL_DEFAULT_SCHEDULE: compiled, auto or auto,frozen; `doall run`
  // sets it.
  bool unnamed_by_auto = false;
  bool unnamed_frozen = false;

  // DOALL_BARRIER: auto, centralized, tree, or full: a tree with a full barrier.
  barrier_form barrier = barrier_form::best;

  // DOALL_OVERSUBSCRIBE=true: native loops may have more workers than CPUs, for bodies that wait
  // rather than compute. Without it loops get no more workers than CPUs: more would take turns, and
  // each turn costs a thread switch.
  bool oversubscribe = false;

  // CPUs that the process may use: with more workers than these, threads that wait take turns.
  std::uint32_t cpus = 1;

  // Whether workers are pinned: OMP_PROC_BIND other than false or, if that is unset, places, or
  // KMP_AFFINITY.
  bool pinned = false;

  // Where threads run: if they are pinned, OMP_PLACES, else GOMP_CPU_AFFINITY or KMP_AFFINITY, else
  // the cores; if they are not, one place of all CPUs that KMP_HW_SUBSET leaves
  // or, without that, none. No place has a CPU that the subset leaves out.
  std::vector<topology::place> places;
  // OMP_PROC_BIND, of outermost regions: whether workers are spread over the places, or all on the
  // first one. Where they are at home; a region may move them.
  bool spread = false;
  bool on_one_place = false;
  // KMP_AFFINITY=reset: the CPUs that the program's own threads have outside of regions; empty: as
  // in the last region.
  std::vector<int> reset_cpus;

  // Bytes of a worker's stack. OMP_STACKSIZE, GOMP_STACKSIZE or KMP_STACKSIZE, else as many as the
  // main thread may have, so that
  // code which recurses there can recurse on a worker. But at most 256 MiB, and 64 MiB if there is
  // no limit: a stack takes only addresses until a body goes deep.
  std::uint64_t stack_bytes = 0;
};

const settings& environment();

// KMP_BLOCKTIME, which LLVM's runtime reads: milliseconds, or a number with a unit, or infinite,
// which is for_ever_ns. Nothing if it is unset, or bad, of which it warns.
inline constexpr std::uint64_t for_ever_ns = std::numeric_limits<std::uint64_t>::max();
std::optional<std::uint64_t> block_time_ns();

// Bytes of the stacks of workers that are started from now on: what the program has set, else
// settings::stack_bytes.
std::uint64_t stack_bytes();
void set_stack_bytes(std::uint64_t bytes);

// The schedule that DOALL_SCHEDULE, or the last doall_set_schedule(), names; which == nullptr when
// neither names one. It steers native loops that name no schedule, and OpenMP loops of the kinds
// runtime, dynamic and guided.
schedules::spec steering_schedule();
bool is_steered();

// As doall_set_schedule(). Returns the error, empty when it was taken.
std::string set_steering_schedule(const char* text);

}  // namespace doall::team
