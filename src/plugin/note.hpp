// SPDX-License-Identifier: GPL-3.0-or-later
// What a compiled loop says of itself: a variable in the object, which the runtime reads
// (src/omp/compiled_loop.hpp has the same layout).
#pragma once

#include "plugin.hpp"

namespace doall::plugin {

// "doall cc", as a little-endian number: the arguments of the call that follow are doall's.
inline constexpr HOST_WIDE_INT note_magic = HOST_WIDE_INT_C(0x6363206c6c616f64);

// The address of a new note of that loop.
tree address_of_note(const loop_facts& loop);

}  // namespace doall::plugin
