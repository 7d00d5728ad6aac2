// SPDX-License-Identifier: GPL-3.0-or-later
#include "api_names.hpp"

#include "api_table.hpp"

namespace doall::plugin {

bool is_of_api(tree function) {
  return function != NULL_TREE && DECL_EXTERNAL(function) && TREE_PUBLIC(function) &&
         DECL_NAME(function) != NULL_TREE && is_api_name(IDENTIFIER_POINTER(DECL_NAME(function)));
}

}  // namespace doall::plugin
