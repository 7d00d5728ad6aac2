// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of an object that its steered loops call, instead of the runtime's.
#pragma once

#include "plugin.hpp"

namespace doall::plugin {

struct entries {
  // bool begin(u64 begin, u64 end, u64 step, u64* first, u64* last, note*, context*, cost*)
  tree begin = NULL_TREE;
  tree next = NULL_TREE;        // bool next(u64* first, u64* last)
  tree end = NULL_TREE;         // void end(): with a barrier
  tree end_nowait = NULL_TREE;  // void end_nowait()
};

// The arguments of `begin` from the note on.
inline constexpr unsigned note_of_entry = 5;

// Makes those of the file, once it is known whether it has code for devices: when functions have
// been lowered. None are made for other targets than x86-64.
void make_entries();

// Those made before; null: it was not.
const entries& made_entries();

}  // namespace doall::plugin
