// SPDX-License-Identifier: GPL-3.0-or-later
// Loops whose blocks another loop of their region may rely on.
#pragma once

#include "plugin.hpp"

#include <set>

namespace doall::plugin {

// Whether a static loop in it ends with `nowait`.
bool has_nowait_loops(gimple_seq body);

// Adds the static loops of the region that may rely on each other's blocks. `body` is a parallel
// construct's, or a function's, whose region is its caller's.
void find_paired(gimple_seq body, bool function, std::set<gomp_for*>& keeps);

}  // namespace doall::plugin
