// SPDX-License-Identifier: GPL-3.0-or-later
// What kind of statement one is.
#pragma once

#include "plugin.hpp"

#include "cfgloop.h"
#include "tree-ssa-loop.h"

namespace doall::plugin {

// What a variable of a loop counts: the value in the first round, and what is added in each.
bool counts(class loop* l, tree value, affine_iv* counted);

// Whether it is a check of a sanitizer's, which changes no memory of the program's.
bool is_check(const gimple* s);

// What an operation that is checked for overflow computes; ERROR_MARK: it is none.
tree_code code_of_checked(const gimple* s);

// Whether it asks OpenMP's runtime for something, as omp_get_thread_num() does. (In the functions
// that GCC makes of regions that is a builtin; in others it is a call like any.)
bool is_question(const gimple* s);

// Whether it is the square root of something, for which the processor has an instruction: no
// library is needed.
bool is_square_root(const gimple* s);

}  // namespace doall::plugin
