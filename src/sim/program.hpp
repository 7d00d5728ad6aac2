// A whole program in virtual time: loops one after the other on one machine, whose caches keep what
// the loops before have left there.
#pragma once

#include <functional>
#include <string>

#include "sim/machine.hpp"

namespace doall::sim {

// A loop of a program. Its iterations' costs are in units (machine::unit).
struct program_loop {
  u64 iterations = 0;
  iteration_costs costs{};
  uses_of_iteration uses{};  // none: it has no data
};

struct program {
  std::string name;
  std::uint32_t blocks = 0;
  double block_bytes = 1;
  u64 loops = 0;
  std::function<program_loop(u64)> loop;  // the one of that number
  u64 sites = 1;                          // of the source: loop k is of site k mod sites
};

struct program_run {
  double time = 0;  // microseconds
  u64 fetched = 0;  // blocks
  u64 synchronisations = 0;
};

// Runs the program with each of its loops under the schedule. Throws std::invalid_argument when the
// machine has fewer processors. The seed decides who comes first to each loop. O(iterations log P).
program_run run_program(const program& what, const machine& on, std::uint32_t processors,
                        const schedules::spec& schedule, std::uint64_t seed = 1);

}  // namespace doall::sim
