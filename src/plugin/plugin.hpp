// SPDX-License-Identifier: GPL-3.0-or-later
// What the files of the plugin share: its options, the loops that it has met, and its notes.
#pragma once

// GCC's headers rely on each other in this order.
#include "gcc-plugin.h"

#include "tree.h"

#include "gimple.h"

#include "rules.hpp"

#include <string>
#include <vector>

namespace doall::plugin {

struct prices : price_table {
  unsigned of(const gimple* statement) const;
};

// What the command line asks for, as -fplugin-arg-doall-NAME[=VALUE].
struct options {
  bool steers_static = false;  // `steer-static`: loops with an explicit schedule(static), too
  // Loops with schedule(runtime), dynamic or guided tell their costs, too, but with
  // `no-cost-runtime`.
  bool costs_runtime = true;
  bool explains = false;       // `explain`: what was found of each loop, on standard output
  std::string report;          // `report=FILE`: the same as JSON
  prices price;                // `prices=STATEMENT,LOAD,DIVISION,CALL,ROUND,ATOMIC`
  bool steers_nowait = false;  // `steer-nowait`: also loops that rely on each other's blocks
  bool warns = false;          // `warn`: a note for each loop that is left alone
  // COWS's optimisations, which `no-kept`, `no-uniform` and `no-guards` switch off.
  bool keeps = true;            // Opt1: sums of costs are kept for the next run of the loop
  bool knows_uniform = true;    // Opt2: loops whose iterations all cost the same need no sums
  bool respects_guards = true;  // Opt3: of work under a condition no costs are told
  // `schedule=TEXT`, again for each: the names in the source's schedule clauses, in the place of
  // which it has schedule(dynamic, first_name + which one).
  std::vector<std::string> names;
};

// Of one of these names: whether the source's is wrong (clause_replacing.hpp says what it is then).
inline bool is_wrong_name(const char* name) { return name != nullptr && *name == '!'; }
extern options asked;

// A schedule's number in what begins a loop (the runtime's). Static chunks come in order.
enum dealing : HOST_WIDE_INT {
  by_runtime = 0,
  as_static = HOST_WIDE_INT_C(0x80000001),
  as_dynamic = 2,
  as_guided = 3,
};
inline constexpr HOST_WIDE_INT in_order = HOST_WIDE_INT_C(0x80000000);  // the modifier monotonic

// A loop that GCC is about to lower. A loop that is steered carries its number in this list as the
// chunk size of a schedule clause (loop_mark), from which the call that begins it is recognised
// again when loops have become calls.
struct loop_facts {
  location_t place = UNKNOWN_LOCATION;
  std::string file;  // likewise, for when GCC has forgotten it
  int line = 0;
  const char* was = "none";  // its schedule clause
  // How its clause asks for it (enum dealing), and the chunk size of the clause; 0: none.
  HOST_WIDE_INT dealing = as_static;
  unsigned HOST_WIDE_INT chunk = 0;
  const char* name = nullptr;  // of a schedule of doall's, in its clause
  const char* left = nullptr;  // why it is not steered; null: it is
  // Why it keeps static's blocks though the runtime begins it (nowait.hpp); null: it need not.
  const char* keeps = nullptr;
  unsigned HOST_WIDE_INT counts =
      0;  // how it counts, if an object's own entry begins it (note.hpp)
  // It counts down in an unsigned type of so many bits, fewer than the runtime's numbers; 0: not.
  unsigned narrow_down = 0;
  // It counts in an unsigned type of as many bits, up or down; 0: it does not.
  int wide_unsigned = 0;

  bool collapsed = false;  // it is several loops, one inside of the other

  // Found by costs.cpp of one that is steered.
  const char* kind = "unknown";      // uniform, weighted, guarded, or unknown
  const char* reason = nullptr;      // of the last two
  std::string cost;                  // the expression, if it is weighted
  bool at_most = false;              // a loop inside may be left early
  bool about = false;                // what a function costs that it calls is a guess
  unsigned HOST_WIDE_INT grain = 0;  // iterations of some 1,000 cycles; 0: not known
  // With up to so many iterations it is a fine-grain loop; 0: it is none, or not known to be one.
  unsigned HOST_WIDE_INT fine = 0;
};
extern std::vector<loop_facts> loops;

// The chunk size that stands for the first of options::names (src/cc/clause_replacing.hpp has the
// same number).
inline constexpr unsigned HOST_WIDE_INT first_name = 0x64640000;

// A chunk size that no program asks for, with the loop's number in it. Its low half is 1, so that
// even code that took it for a chunk size in 32 bits would be right.
inline constexpr unsigned HOST_WIDE_INT loop_mark = HOST_WIDE_INT_UC(0x6460000000000001);
inline constexpr unsigned number_shift = 32;
inline constexpr unsigned most_loops = 1U << 20;
inline constexpr unsigned HOST_WIDE_INT mark_of(unsigned HOST_WIDE_INT number) {
  return loop_mark + (number << number_shift);
}

// The text of the assembler statement that keeps a loop from being combined with its region.
inline constexpr const char* apart_mark = "# doall";

// Registers the passes, in the order in which they run.
void register_steering(const char* plugin);
void register_entries(const char* plugin);
void register_handing_over(const char* plugin);
void register_costs(const char* plugin);

// Says which names of schedules in the source are wrong, when all else has been said.
void register_wrong_names(const char* plugin);

// Says what was found of the loops, when the file has been compiled.
void register_report(const char* plugin);

}  // namespace doall::plugin
