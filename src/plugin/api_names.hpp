// SPDX-License-Identifier: GPL-3.0-or-later
// The functions that OpenMP's runtime has for programs (api_table.hpp), as GCC has them.
#pragma once

#include "plugin.hpp"

namespace doall::plugin {

// Whether the function is one of those, of a library.
bool is_of_api(tree function);

}  // namespace doall::plugin
