// SPDX-License-Identifier: GPL-3.0-or-later
// Walks back over the statements that may write memory (virtual definitions).
#include "memory.hpp"

#include "builtins.h"
#include "calls.hpp"
#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "slice.hpp"
#include "ssa.h"
#include "tree-ssa-alias.h"

#include <set>
#include <vector>

namespace doall::plugin {
namespace {

// Whether it is passed places that it may write to.
bool has_pointers(const gimple* s) {
  for (unsigned i = 0; i < gimple_call_num_args(s); ++i) {
    if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(s, i)))) return true;
  }
  return false;
}

// A function of mathematics writes errno at most, which is no variable of the program's.
bool is_of_numbers(const gimple* s) {
  return mathfn_built_in_type(gimple_call_combined_fn(s)) != NULL_TREE && !has_pointers(s);
}

}  // namespace

bool only_reads(const gimple* s) {
  if (is_check(s) || code_of_checked(s) != ERROR_MARK) return true;
  if (!is_gimple_call(s)) return false;
  if (is_question(s) && !has_pointers(s)) return true;
  if ((gimple_call_flags(s) & (ECF_CONST | ECF_PURE)) != 0 || is_of_numbers(s)) return true;
  const callee* called = callee_of(s);
  return called != nullptr && called->leaves_alone;
}

namespace {

// The argument that says an atomic operation's memory order, if it is one of those that OpenMP's
// atomic constructs become; -1: it is none.
int order_argument(const gimple* s) {
  if (!gimple_call_builtin_p(s, BUILT_IN_NORMAL)) return -1;
  const auto which = DECL_FUNCTION_CODE(gimple_call_fndecl(s));
  if (which >= BUILT_IN_ATOMIC_LOAD_1 && which <= BUILT_IN_ATOMIC_LOAD_16) return 1;
  if (which >= BUILT_IN_ATOMIC_STORE_1 && which <= BUILT_IN_ATOMIC_STORE_16) return 2;
  if (which >= BUILT_IN_ATOMIC_EXCHANGE_1 && which <= BUILT_IN_ATOMIC_EXCHANGE_16) return 2;
  if (which >= BUILT_IN_ATOMIC_ADD_FETCH_1 && which <= BUILT_IN_ATOMIC_FETCH_OR_16) return 2;
  return -1;
}

// Whether it is a relaxed atomic operation on an object that is not of the place's type. It orders
// nothing, and GCC's optimisations go by types as well (-fstrict-aliasing).
bool writes_another_type(const gimple* s, ao_ref* place) {
  const int order = order_argument(s);
  if (order < 0 || !integer_zerop(gimple_call_arg(s, order))) return false;  // 0: relaxed
  const tree word = TREE_TYPE(gimple_call_arg(s, 0));
  if (!POINTER_TYPE_P(word) || VOID_TYPE_P(TREE_TYPE(word))) return false;
  return !alias_sets_conflict_p(get_alias_set(TREE_TYPE(word)), ao_ref_alias_set(place));
}

// The pointer that an address is counted from, as far as it is one.
tree root_of(tree reference) {
  tree base = get_base_address(reference);
  if (base == NULL_TREE || (TREE_CODE(base) != MEM_REF && TREE_CODE(base) != TARGET_MEM_REF))
    return base;
  base = TREE_OPERAND(base, 0);
  while (TREE_CODE(base) == SSA_NAME) {
    gimple* s = SSA_NAME_DEF_STMT(base);
    if (const gphi* phi = dyn_cast<gphi*>(s); phi != nullptr && gimple_phi_num_args(phi) == 1) {
      base = gimple_phi_arg_def(phi, 0);  // behind a loop
      continue;
    }
    if (!is_gimple_assign(s)) break;
    const tree_code code = gimple_assign_rhs_code(s);
    const bool goes_on = code == POINTER_PLUS_EXPR || code == SSA_NAME || CONVERT_EXPR_CODE_P(code);
    if (!goes_on) return gimple_assign_rhs1(s);
    base = gimple_assign_rhs1(s);
  }
  return base;
}

// Whether it writes through another pointer than the load reads through, or calls a function of the
// file that does, or one for which `by_unknown` says so.
bool writes_elsewhere(gimple* s, gimple* load, memory_is by_unknown) {
  if (!is_gimple_assign(load)) return false;
  if (is_gimple_call(s)) return callee_of(s) != nullptr || by_unknown == memory_is::perhaps_same;
  if (!is_gimple_assign(s) || gimple_has_volatile_ops(s)) return false;
  const tree written = root_of(gimple_assign_lhs(s));
  const tree read = root_of(gimple_assign_rhs1(load));
  return written != NULL_TREE && read != NULL_TREE && !operand_equal_p(written, read, 0);
}

template <class MayChange>
memory_is walk(gimple* load, tree from, const std::function<bool(tree, gimple*)>& ends,
               MayChange may_change, memory_is by_unknown = memory_is::changed) {
  memory_is found = memory_is::same;
  std::set<gimple*> seen;
  std::vector<tree> open{from};
  while (!open.empty()) {
    const tree memory = open.back();
    open.pop_back();
    if (memory == NULL_TREE || SSA_NAME_IS_DEFAULT_DEF(memory)) continue;
    gimple* s = SSA_NAME_DEF_STMT(memory);
    if (ends(memory, s) || !seen.insert(s).second) continue;
    if (gphi* phi = dyn_cast<gphi*>(s)) {
      for (unsigned i = 0; i < gimple_phi_num_args(phi); ++i)
        open.push_back(gimple_phi_arg_def(phi, i));
      continue;
    }
    if (!only_reads(s) && may_change(s)) {
      if (!writes_elsewhere(s, load, by_unknown)) return memory_is::changed;
      found = memory_is::perhaps_same;
    }
    open.push_back(gimple_vuse(s));
  }
  return found;
}

}  // namespace

memory_is between(gimple* load, tree from, const std::function<bool(tree, gimple*)>& ends,
                  memory_is by_unknown) {
  if (!is_gimple_assign(load))
    return walk(load, from, ends, [](gimple* s) { return !gimple_clobber_p(s); });
  ao_ref place;
  ao_ref_init(&place, gimple_assign_rhs1(load));
  return walk(
      load, from, ends,
      [&](gimple* s) {
        if (by_unknown == memory_is::same && is_gimple_call(s)) return false;
        return !writes_another_type(s, &place) && stmt_may_clobber_ref_p_1(s, &place);
      },
      by_unknown);
}

memory_is before_call(gimple* load, tree from, const std::function<bool(tree, gimple*)>& ends) {
  ao_ref place;
  ao_ref_init(&place, gimple_assign_rhs1(load));
  return walk(load, from, ends, [&](gimple* s) {
    if (gimple_clobber_p(s) || writes_another_type(s, &place)) return false;
    return !is_gimple_assign(s) || !flag_strict_aliasing ||
           alias_sets_conflict_p(get_alias_set(gimple_assign_lhs(s)), ao_ref_alias_set(&place));
  });
}

}  // namespace doall::plugin
