// SPDX-License-Identifier: GPL-3.0-or-later
// What a statement costs, by the table of prices.
#include "plugin.hpp"

#include "internal-fn.h"
#include "statements.hpp"
#include "tree-dfa.h"

namespace doall::plugin {
namespace {

bool is_atomic(const gimple* call) {
  const tree callee = gimple_call_fndecl(call);
  if (gimple_call_internal_p(call))
    return startswith(internal_fn_name(gimple_call_internal_fn(call)), "ATOMIC");
  if (callee == NULL_TREE || !fndecl_built_in_p(callee, BUILT_IN_NORMAL)) return false;
  const char* name = IDENTIFIER_POINTER(DECL_NAME(callee));
  return startswith(name, "__atomic_") || startswith(name, "__sync_");
}

// A core multiplies an index by these while it computes an address.
bool is_of_address(tree factor) {
  if (!tree_fits_uhwi_p(factor)) return false;
  const unsigned HOST_WIDE_INT by = tree_to_uhwi(factor);
  return by == 1 || by == 2 || by == 4 || by == 8;
}

}  // namespace

unsigned prices::of(const gimple* s) const {
  if (is_check(s)) return 0;
  if (is_gimple_call(s) && gimple_call_internal_p(s) &&
      startswith(internal_fn_name(gimple_call_internal_fn(s)), "UBSAN_CHECK_"))
    return statement;
  if (is_gimple_debug(s) || gimple_code(s) == GIMPLE_LABEL || gimple_clobber_p(s)) return 0;
  if (is_gimple_call(s)) return is_atomic(s) ? atomic : call;
  if (!is_gimple_assign(s)) return statement;
  if (gimple_assign_load_p(s) || gimple_store_p(s)) return load;
  switch (gimple_assign_rhs_code(s)) {
    case TRUNC_DIV_EXPR:
    case TRUNC_MOD_EXPR:
    case RDIV_EXPR: return division;
    case POINTER_PLUS_EXPR: return 0;
    case MULT_EXPR:
      if (is_of_address(gimple_assign_rhs2(s))) return 0;
      return statement;
    default: return gimple_assign_cast_p(s) || gimple_assign_single_p(s) ? 0 : statement;
  }
}

}  // namespace doall::plugin
