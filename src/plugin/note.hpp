// SPDX-License-Identifier: GPL-3.0-or-later
// What a compiled loop says of itself: a variable in the object, which the runtime reads
// (src/omp/compiled_loop.hpp has the same layout).
#pragma once

#include "plugin.hpp"

namespace doall::plugin {

// "doall cc", as a little-endian number: the arguments of the call that follow are doall's.
inline constexpr HOST_WIDE_INT note_magic = HOST_WIDE_INT_C(0x6363206c6c616f64);

// The arguments of the call that begins a loop from this one on, which counts from 0 in a call that
// counts in long: magic number, note, context, cost function, facts.
inline constexpr unsigned magic_argument = 9;

// Bits of the facts besides those of rules.hpp, of a loop that is begun by an object's own entry
// (entries.hpp): how it counts.
inline constexpr unsigned HOST_WIDE_INT counts_in_ull = 16;
inline constexpr unsigned HOST_WIDE_INT counts_down = 32;
inline constexpr unsigned HOST_WIDE_INT begun_by_entry = 64;

// Where the facts are in a note, in bytes, where `long` and pointers have 64 bits.
inline constexpr HOST_WIDE_INT offset_of_facts = 32;

// The address of a new note of that loop.
tree address_of_note(const loop_facts& loop);

// What is known of its costs, for whoever reads the program's file.
void note_facts(tree address, unsigned HOST_WIDE_INT facts);

// The loop whose note has that address; null: none.
loop_facts* loop_of_note(tree address);

}  // namespace doall::plugin
