// SPDX-License-Identifier: GPL-3.0-or-later
// What the files of the plugin share: its options, the loops that it has met, and its notes.
#pragma once

// GCC's headers rely on each other in this order.
#include "gcc-plugin.h"

#include "tree.h"

#include "gimple.h"

#include <string>
#include <vector>

namespace doall::plugin {

// What the command line asks for, as -fplugin-arg-doall-NAME[=VALUE].
struct options {
  bool steers_static = false;  // `steer-static`: loops with an explicit schedule(static), too
  bool warns = false;          // `warn`: a note for each loop that is left alone
};
extern options asked;

// A loop that GCC is about to lower. A loop that is steered carries its number in this list as the
// chunk size of a schedule clause (loop_mark), from which the call that begins it is recognised
// again when loops have become calls.
struct loop_facts {
  location_t place = UNKNOWN_LOCATION;
  const char* was = "none";    // its schedule clause
  const char* left = nullptr;  // why it is not steered; null: it is
};
extern std::vector<loop_facts> loops;

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
void register_handing_over(const char* plugin);

// "file.c:12" of a loop.
std::string place_of(const loop_facts& loop);

}  // namespace doall::plugin
