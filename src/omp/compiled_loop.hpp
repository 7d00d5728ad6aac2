// What a loop that was compiled by doall's plugin (src/plugin) says of itself.
//
// A loop without a clause is begun by an entry in the program's object, which calls
// doall_loop_start where that is (src/plugin/entries.cpp). Of others, and of objects of earlier
// releases, the entry is GOMP_loop_start, with five more arguments and a place for the first range.
// GCC alone asks no runtime for the ranges of a static loop. The further arguments are recognised
// by the first of them: a caller that passes nothing there has words of its own stack, which are
// not this one, and which nobody may write to.
//
// What Clang has compiled asks for its bounds or chunks as ever. Where its pass plugin knows
// something of a loop (src/plugin/llvm), the code calls doall_loop_costs just before.
#pragma once

#include <cstdint>

namespace doall::omp {

// "doall cc", as a little-endian number.
inline constexpr std::uint64_t compiled_magic = 0x6363206c6c616f64;

// Written by the plugin (src/plugin/note.cpp), in the section doall_loops. Grows at its end.
struct compiled_loop {
  std::uint32_t size;    // sizeof(compiled_loop), of the plugin's release
  std::uint32_t line;    // of the source, 0 when unknown
  const char* file;      // likewise; may be null
  const char* schedule;  // that the source names; null: none, or `auto`
  std::uint64_t kept;    // the schedule, as the runtime keeps it; zero at first
  std::uint64_t facts;   // as compiled_start has them, for whoever reads the program's file
};

// What iteration k costs, in any unit; 0 or more. Reads what lives before the loop, and writes
// nothing.
using iteration_cost = std::uint64_t (*)(const void* context, std::uint64_t k);

// One execution of it: the note and, of the thread that begins it, what its costs are made of.
struct compiled_start {
  compiled_loop* note = nullptr;
  const void* context = nullptr;
  iteration_cost cost = nullptr;  // null: not known
  std::uint64_t facts = 0;        // what else is known of its costs

  // Bits of the facts (src/plugin/note.hpp). Above them is how many iterations take some 1,000
  // cycles, and above that with how many it is a fine-grain loop.
  static constexpr std::uint64_t uniform = 1;
  static constexpr std::uint64_t guarded = 2;
  static constexpr std::uint64_t weighted = 4;   // there is a cost function
  static constexpr std::uint64_t made_anew = 8;  // sums are not kept for the next run
  // How a loop counts that is begun by doall_loop_start.
  static constexpr std::uint64_t in_ull = 16;
  static constexpr std::uint64_t down = 32;
  // Another loop may rely on its blocks, since there is no barrier between them.
  static constexpr std::uint64_t paired = 128;
  static constexpr unsigned grain_shift = 8;
  static constexpr unsigned fine_shift = 32;

  // Iterations of some 1,000 cycles, 1 for those that have calls or loops; 0: not known.
  std::uint64_t grain() const {
    return (facts & ((std::uint64_t{1} << fine_shift) - 1)) >> grain_shift;
  }
  // With up to so many iterations it is a fine-grain loop (fine-grain, section 5.5); 0: not known.
  std::uint64_t fine() const { return facts >> fine_shift; }

  bool counts_in_ull() const { return (facts & in_ull) != 0; }
  bool counts_down() const { return (facts & down) != 0; }
  bool keeps_blocks() const { return note != nullptr && (note->facts & paired) != 0; }
  bool names_schedule() const { return note != nullptr && note->schedule != nullptr; }
  bool tells_costs() const { return cost != nullptr || (facts & (uniform | guarded)) != 0; }
};

}  // namespace doall::omp
