// SPDX-License-Identifier: GPL-3.0-or-later
// Makes functions that no source has.
#pragma once

#include "plugin.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace doall::plugin {

struct parameter {
  const char* name;
  tree type;
};

// A static function without a body. Its parameters are DECL_ARGUMENTS, in order.
tree declare_function(const std::string& name, tree returns,
                      std::initializer_list<parameter> parameters);

// Gives it its body, a statement, and makes GIMPLE of that. `variables` are the body's.
void define_function(tree function, tree body, const std::vector<tree>& variables);

// The attributes, and one that keeps a function free of these checks of sanitizers (SANITIZE_...).
tree without_checks(unsigned checks, tree attributes);

// Its local variable.
tree new_variable(tree function, const char* name, tree type);

inline tree whole() { return long_long_unsigned_type_node; }
inline tree number(unsigned HOST_WIDE_INT value) { return build_int_cst(whole(), value); }

// By the processor's instruction.
tree square_root(tree value);

// return value;
tree returns(tree function, tree value);

}  // namespace doall::plugin
