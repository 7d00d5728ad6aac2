// SPDX-License-Identifier: GPL-3.0-or-later
#include "slice.hpp"

#include "builtins.h"
#include "dominance.h"
#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "ssa.h"
#include "tree-dfa.h"
#include "tree-eh.h"
#include "tree-ssa-alias.h"
#include "tree-ssa-loop.h"

#include "tree-scalar-evolution.h"

#include <set>
#include <vector>

namespace doall::plugin {
namespace {

// Longer chains are not followed: the expression would grow with every use of a value.
constexpr int deepest = 40;

bool is_inside(const dealt_loop& loop, const gimple* s) {
  basic_block block = gimple_bb(s);
  return block != nullptr && flow_bb_inside_loop_p(loop.iterations, block);
}

// Whether the statement loads the place where the runtime writes a range's first iteration.
bool loads_first(const dealt_loop& loop, const gimple* s) {
  if (!gimple_assign_load_p(s)) return false;
  const tree place = loop.first();
  return TREE_CODE(place) == ADDR_EXPR && TREE_OPERAND(place, 0) == gimple_assign_rhs1(s);
}

// Whether the value comes from the range's first iteration, by arithmetic alone.
bool comes_from_first(const dealt_loop& loop, tree value, int depth) {
  if (TREE_CODE(value) != SSA_NAME || depth > deepest) return false;
  gimple* s = SSA_NAME_DEF_STMT(value);
  if (!is_gimple_assign(s)) return false;
  if (loads_first(loop, s)) return true;
  if (gimple_assign_single_p(s) && TREE_CODE(gimple_assign_rhs1(s)) != SSA_NAME) return false;
  for (unsigned i = 1; i < gimple_num_ops(s); ++i) {
    if (gimple_op(s, i) != NULL_TREE && comes_from_first(loop, gimple_op(s, i), depth + 1))
      return true;
  }
  return false;
}

}  // namespace

bool slice::runs_always(basic_block block) const {
  for (class loop* l = block->loop_father; l != nullptr && l != loop_.iterations;
       l = loop_outer(l)) {
    if (rounds_.count(l) == 0) continue;
    if (!dominated_by_p(CDI_DOMINATORS, l->latch, block)) return false;
    block = l->header;
  }
  return dominated_by_p(CDI_DOMINATORS, loop_.iterations->latch, block);
}

tree replace_names(tree* at, int* deeper, void* data) {
  auto& self = *static_cast<slice*>(data);
  if (TREE_CODE(*at) == SSA_NAME) {
    *deeper = 0;
    if (tree said = self.of_name(*at)) *at = said;
  } else if (VAR_P(*at) && (!is_global_var(*at) || DECL_THREAD_LOCAL_P(*at))) {
    self.refuse("it depends on a variable of the thread's own");
  } else if (TREE_CODE(*at) == PARM_DECL || TREE_CODE(*at) == RESULT_DECL) {
    self.refuse("it depends on a parameter");
  }
  return NULL_TREE;
}

tree slice::copy_of(tree expression) {
  expression = unshare_expr(expression);
  walk_tree(&expression, replace_names, this, nullptr);
  return why_ != nullptr ? NULL_TREE : expression;
}

tree slice::of(tree value) {
  if (why_ != nullptr) return NULL_TREE;
  if (CONSTANT_CLASS_P(value)) return value;
  return TREE_CODE(value) == SSA_NAME ? of_name(value) : copy_of(value);
}

// A value of the loop's header is the same whether its iteration is the first of a range or a later
// one. So it is what it would be at the beginning of a range.
tree slice::of_phi(gphi* phi) {
  for (const auto& numbered : rounds_) {
    if (gimple_bb(phi) == numbered.first->header) return of_round(phi, numbered.first);
  }
  if (gimple_bb(phi) != loop_.iterations->header) return refuse("it depends on a choice or a sum");
  affine_iv counted;
  if (!simple_iv(loop_.iterations, loop_.iterations, gimple_phi_result(phi), &counted, true))
    return refuse("it depends on what earlier iterations have computed");
  const tree entered = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(loop_.iterations));
  if (!comes_from_first(loop_, entered, 0))
    return refuse("it depends on what earlier iterations have computed");
  return of(entered);
}

// Likewise of a loop inside, whose rounds have numbers.
tree slice::of_round(gphi* phi, const class loop* inner) {
  auto* const l = const_cast<class loop*>(inner);
  affine_iv counted;
  if (!simple_iv(l, l, gimple_phi_result(phi), &counted, true))
    return refuse("it depends on what earlier rounds have computed");
  const tree type = TREE_TYPE(gimple_phi_result(phi));
  const tree from = of(counted.base);
  const tree step = of(counted.step);
  if (from == NULL_TREE || step == NULL_TREE) return NULL_TREE;
  const tree by = POINTER_TYPE_P(type) ? sizetype : type;
  const tree moved =
      fold_build2(MULT_EXPR, by, fold_convert(by, rounds_.at(inner)), fold_convert(by, step));
  if (POINTER_TYPE_P(type)) return fold_build_pointer_plus(from, moved);
  return fold_build2(PLUS_EXPR, type, fold_convert(type, from), moved);
}

// A function of mathematics writes errno at most, which is no variable of the program's.
bool is_of_numbers(const gimple* s) {
  if (mathfn_built_in_type(gimple_call_combined_fn(s)) == NULL_TREE) return false;
  for (unsigned i = 0; i < gimple_call_num_args(s); ++i) {
    if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(s, i)))) return false;
  }
  return true;
}

// Whether it calls a function that writes no memory of others': of mathematics, or of this file.
bool only_reads(const gimple* s) {
  if (!is_gimple_call(s) || gimple_call_fndecl(s) == NULL_TREE) return false;
  if (is_of_numbers(s)) return true;
  function* f = DECL_STRUCT_FUNCTION(gimple_call_fndecl(s));
  if (f == nullptr || f->cfg == nullptr) return false;
  basic_block block;
  FOR_EACH_BB_FN(block, f) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple* one = gsi_stmt(at);
      if (gimple_store_p(one) || is_gimple_call(one) || gimple_code(one) == GIMPLE_ASM)
        return false;
    }
  }
  return true;
}

// The argument that says an atomic operation's memory order, if it is one of those that OpenMP's
// atomic constructs become; -1: it is none.
static int order_argument(const gimple* s) {
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
static bool writes_another_type(const gimple* s, ao_ref* place) {
  const int order = order_argument(s);
  if (order < 0 || !integer_zerop(gimple_call_arg(s, order))) return false;  // 0: relaxed
  const tree word = TREE_TYPE(gimple_call_arg(s, 0));
  if (!POINTER_TYPE_P(word) || VOID_TYPE_P(TREE_TYPE(word))) return false;
  return !alias_sets_conflict_p(get_alias_set(TREE_TYPE(word)), ao_ref_alias_set(place));
}

// Whether memory is the same, as far as `load` reads it, where it stands and where the walk back
// from `from` ends: at statements for which `ends` is true.
template <class Ends>
static bool is_untouched(gimple* load, tree from, Ends ends) {
  ao_ref place;
  ao_ref_init(&place, gimple_assign_rhs1(load));
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
    if (!only_reads(s) && !writes_another_type(s, &place) && stmt_may_clobber_ref_p_1(s, &place))
      return false;
    open.push_back(gimple_vuse(s));
  }
  return true;
}

// Nothing changes what the load reads between the call that begins the loop, when the costs are
// computed, and the load.
bool slice::is_settled(gimple* load) const {
  if (is_inside(loop_, load)) {
    return is_untouched(load, gimple_vuse(load), [&](tree, gimple* s) {
      return !is_inside(loop_, s) ||
             (gimple_code(s) == GIMPLE_PHI && gimple_bb(s) == loop_.iterations->header);
    });
  }
  const tree then = gimple_vuse(load);
  if (dominated_by_p(CDI_DOMINATORS, gimple_bb(load), gimple_bb(loop_.start)) &&
      gimple_bb(load) != gimple_bb(loop_.start))
    return true;
  return is_untouched(load, gimple_vuse(loop_.start),
                      [&](tree memory, gimple*) { return memory == then; });
}

tree slice::of_load(gimple* load) {
  if (loads_first(loop_, load)) {
    const tree type = TREE_TYPE(gimple_assign_lhs(load));
    const tree begin = of(loop_.begin());
    const tree step = of(loop_.step());
    if (begin == NULL_TREE || step == NULL_TREE) return NULL_TREE;
    return fold_build2(
        PLUS_EXPR, type, fold_convert(type, begin),
        fold_build2(MULT_EXPR, type, fold_convert(type, k_), fold_convert(type, step)));
  }
  if (asked.respects_guards && is_inside(loop_, load) && !runs_always(gimple_bb(load)))
    return refuse("it is loaded under a condition");
  if (!is_settled(load)) return refuse("it may have changed before it is loaded");
  return copy_of(gimple_assign_rhs1(load));
}

tree slice::of_name(tree name) {
  if (why_ != nullptr) return NULL_TREE;
  if (SSA_NAME_IS_DEFAULT_DEF(name)) {
    const bool closure = SSA_NAME_VAR(name) == DECL_ARGUMENTS(cfun->decl) &&
                         DECL_ARTIFICIAL(DECL_ARGUMENTS(cfun->decl));
    if (closure) return fold_convert(TREE_TYPE(name), context_);
    return refuse("it depends on a parameter");
  }
  if (++depth_ > deepest) return refuse("the expression is too long");
  gimple* s = SSA_NAME_DEF_STMT(name);
  tree said = NULL_TREE;
  if (gphi* phi = dyn_cast<gphi*>(s)) {
    said = of_phi(phi);
  } else if (!is_gimple_assign(s) || gimple_has_volatile_ops(s)) {
    said = refuse("it depends on a call");
  } else if (gimple_assign_load_p(s)) {
    said = of_load(s);
  } else if (stmt_could_throw_p(cfun, s)) {
    said = refuse("it depends on what may trap");
  } else {
    const tree type = TREE_TYPE(name);
    const tree_code code = gimple_assign_rhs_code(s);
    switch (gimple_assign_rhs_class(s)) {
      case GIMPLE_SINGLE_RHS: said = of(gimple_assign_rhs1(s)); break;
      case GIMPLE_UNARY_RHS: {
        const tree a = of(gimple_assign_rhs1(s));
        said = a == NULL_TREE ? a : build1(code, type, a);
        break;
      }
      case GIMPLE_BINARY_RHS: {
        const tree a = of(gimple_assign_rhs1(s));
        const tree b = of(gimple_assign_rhs2(s));
        if (gimple_could_trap_p(s) && is_inside(loop_, s) && !runs_always(gimple_bb(s)))
          said = refuse("it divides under a condition");
        else
          said = a == NULL_TREE || b == NULL_TREE ? NULL_TREE : build2(code, type, a, b);
        break;
      }
      default: said = refuse("it depends on an expression of a kind that is not known");
    }
  }
  --depth_;
  return said;
}

}  // namespace doall::plugin
