// A whole program in virtual time: loops one after the other on one machine, whose caches keep what
// the loops before have left there.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "deque/counts.hpp"
#include "sim/machine.hpp"

namespace doall::sim {

// A loop of a program. Its iterations' costs are in units (machine::unit).
struct program_loop {
  u64 iterations = 0;
  iteration_costs costs{};
  uses_of_iteration uses{};                 // none: it has no data
  std::optional<schedules::spec> clause{};  // its own schedule, whatever the program is run with
};

struct program {
  std::string name;
  std::uint32_t blocks = 0;
  double block_bytes = 1;
  u64 loops = 0;
  std::function<program_loop(u64)> loop;  // the one of that number
  u64 sites = 1;                          // of the source: loop k is of site k mod sites

  // Where a block's home is, from 0 (the first domain) to 1 (the last one's end), as NUMA-aware
  // allocation places it. None: the domain that uses it first.
  std::function<double(std::uint32_t block)> home{};
};

struct program_run {
  double time = 0;  // microseconds
  u64 fetched = 0;  // blocks
  u64 synchronisations = 0;
  double near_bytes = 0;  // from memory (memory_system)
  double far_bytes = 0;
  deque::counts stealing{};  // of run_program_by_stealing()
};

// Is told of each loop that has run, by its number.
using loop_watcher = std::function<void(u64 k, const execution& done)>;

// Runs the program with each of its loops under the schedule. Throws std::invalid_argument when the
// machine has fewer processors. The seed decides who comes first to each loop. O(iterations log P).
program_run run_program(const program& what, const machine& on, std::uint32_t processors,
                        const schedules::spec& schedule, std::uint64_t seed = 1,
                        const loop_watcher& seen = {});

// The same by the stealing engine (stealing.hpp), for a schedule that splits, or hybrid; `seen` is
// told who ran which iterations, and not when. A loop's clause is for the other one. Where the
// machine has prices of queues, a look at another worker and a report take as long as its central
// one, a theft as its `stolen`; the machine's unit is a cycle. Idle workers look at others less and
// less often, at least four times an iteration.
//
// Who goes on with the program after a loop, and begins the next one: worker 0, or, as in Cilk,
// whose workers do not wait for a sync, the one that comes to its end last.
enum class goes_on : bool { first_worker, last_one };
program_run run_program_by_stealing(const program& what, const machine& on,
                                    std::uint32_t processors, const schedules::spec& schedule,
                                    std::uint64_t seed = 1, const loop_watcher& seen = {},
                                    goes_on after = goes_on::first_worker);

}  // namespace doall::sim
