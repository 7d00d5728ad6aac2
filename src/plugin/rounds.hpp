// SPDX-License-Identifier: GPL-3.0-or-later
// How often a loop inside of an iteration runs.
#pragma once

#include "slice.hpp"

#include <vector>

namespace doall::plugin {

// The edges by which the loop is left, but for those after which the program ends.
std::vector<edge> exits_of(const class loop* l);

// How often the loop runs its body; null: it is not known, and `values` says why. Of a loop with
// several exits, how often at most (at_most becomes true): by each exit that every round asks at,
// and whose count is known.
tree rounds_of(slice& values, class loop* l, bool& at_most);

}  // namespace doall::plugin
