// SPDX-License-Identifier: GPL-3.0-or-later
#include "statements.hpp"

#include "api_names.hpp"
#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "internal-fn.h"
#include "ssa.h"
#include "tree-ssa-loop.h"

#include "tree-scalar-evolution.h"

namespace doall::plugin {

tree_code code_of_checked(const gimple* s) {
  if (!is_gimple_call(s) || !gimple_call_internal_p(s)) return ERROR_MARK;
  switch (gimple_call_internal_fn(s)) {
    case IFN_UBSAN_CHECK_ADD: return PLUS_EXPR;
    case IFN_UBSAN_CHECK_SUB: return MINUS_EXPR;
    case IFN_UBSAN_CHECK_MUL: return MULT_EXPR;
    default: return ERROR_MARK;
  }
}

namespace {

// What `value` adds to a value of the loop's header; null: it is no such sum, or not checked for
// overflow. Conversions between are looked through.
tree checked_step(tree value, gphi*& phi, class loop* l) {
  while (TREE_CODE(value) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(value)) &&
         gimple_assign_single_p(SSA_NAME_DEF_STMT(value)))
    value = gimple_assign_rhs1(SSA_NAME_DEF_STMT(value));
  if (TREE_CODE(value) != SSA_NAME) return NULL_TREE;
  gimple* s = SSA_NAME_DEF_STMT(value);
  const tree_code code = code_of_checked(s);
  if (code != PLUS_EXPR && code != MINUS_EXPR) return NULL_TREE;
  const tree from = gimple_call_arg(s, 0);
  const tree by = gimple_call_arg(s, 1);
  if (TREE_CODE(from) != SSA_NAME || TREE_CODE(by) != INTEGER_CST) return NULL_TREE;
  phi = dyn_cast<gphi*>(SSA_NAME_DEF_STMT(from));
  if (phi == nullptr || gimple_bb(phi) != l->header) return NULL_TREE;
  return code == PLUS_EXPR ? by : fold_unary(NEGATE_EXPR, TREE_TYPE(by), by);
}

}  // namespace

bool is_check(const gimple* s) {
  if (!is_gimple_call(s)) return false;
  if (gimple_call_internal_p(s)) {
    const char* name = internal_fn_name(gimple_call_internal_fn(s));
    return code_of_checked(s) == ERROR_MARK &&
           (startswith(name, "UBSAN_") || startswith(name, "ASAN_"));
  }
  const tree callee = gimple_call_fndecl(s);
  return callee != NULL_TREE && fndecl_built_in_p(callee, BUILT_IN_NORMAL) &&
         (DECL_FUNCTION_CODE(callee) == BUILT_IN_OBJECT_SIZE ||
          DECL_FUNCTION_CODE(callee) == BUILT_IN_DYNAMIC_OBJECT_SIZE ||
          startswith(IDENTIFIER_POINTER(DECL_NAME(callee)), "__builtin___ubsan_handle_"));
}

bool is_question(const gimple* s) {
  const tree callee = is_gimple_call(s) ? gimple_call_fndecl(s) : NULL_TREE;
  return is_of_api(callee) && startswith(IDENTIFIER_POINTER(DECL_NAME(callee)), "omp_get_");
}

bool is_square_root(const gimple* s) {
  if (!is_gimple_call(s) || gimple_call_num_args(s) != 1) return false;
  switch (gimple_call_combined_fn(s)) {
    case CFN_SQRT:
    case CFN_BUILT_IN_SQRT:
    case CFN_BUILT_IN_SQRTF:
      return direct_internal_fn_supported_p(IFN_SQRT, TREE_TYPE(gimple_call_arg(s, 0)),
                                            OPTIMIZE_FOR_SPEED);
    default: return false;
  }
}

bool counts(class loop* l, tree value, affine_iv* counted) {
  if (simple_iv(l, l, value, counted, true)) return true;
  if (TREE_CODE(value) != SSA_NAME) return false;
  // GCC does not know what is counted with checks for overflow
  // (-fsanitize=signed-integer-overflow).
  gphi* phi = nullptr;
  gphi* const itself = dyn_cast<gphi*>(SSA_NAME_DEF_STMT(value));
  if (itself != nullptr && gimple_bb(itself) == l->header && loop_latch_edge(l) != nullptr) {
    const tree step = checked_step(PHI_ARG_DEF_FROM_EDGE(itself, loop_latch_edge(l)), phi, l);
    if (step == NULL_TREE || phi != itself) return false;
    counted->base = PHI_ARG_DEF_FROM_EDGE(itself, loop_preheader_edge(l));
    counted->step = step;
    return true;
  }
  return false;
}

}  // namespace doall::plugin
