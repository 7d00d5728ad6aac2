// SPDX-License-Identifier: GPL-3.0-or-later
// The functions that OpenMP's runtime has for programs (OpenMP 5.2, chapter 18, and what GCC adds).
// A program may have functions of its own whose names begin with omp_.
#pragma once

#include "plugin.hpp"

namespace doall::plugin {

// Whether the function is one of those, of a library.
bool is_of_api(tree function);

}  // namespace doall::plugin
