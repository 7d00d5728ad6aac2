// SPDX-License-Identifier: GPL-3.0-or-later
// Whether memory that a loop's iteration loads is the same earlier.
#pragma once

#include "plugin.hpp"

#include <functional>

namespace doall::plugin {

// Whether it calls a function that writes no memory of others': of mathematics, or of this file.
bool only_reads(const gimple* s);

enum class memory_is {
  same,
  perhaps_same,  // the iteration writes through other pointers, of which GCC cannot tell where to
  changed,
};

// As far as `load` reads it, or all of it if that is a call: from where the walk back from `from`
// ends, at statements for which `ends` is true, up to `from`. Unknown functions have changed it, or
// perhaps, or have no name for its place.
memory_is between(gimple* load, tree from, const std::function<bool(tree, gimple*)>& ends,
                  memory_is by_unknown = memory_is::changed);

// The same of a load that stands in a called function, for what the caller does before the call:
// what GCC knows of pointers does not go from one function to another.
memory_is before_call(gimple* load, tree from, const std::function<bool(tree, gimple*)>& ends);

}  // namespace doall::plugin
