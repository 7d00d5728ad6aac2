// SPDX-License-Identifier: GPL-3.0-or-later
#include "slice.hpp"

#include "builtins.h"
#include "dominance.h"
#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "internal-fn.h"
#include "made_function.hpp"
#include "ssa.h"
#include "tree-dfa.h"
#include "tree-eh.h"
#include "tree-ssa-alias.h"
#include "tree-ssa-loop.h"

#include "tree-scalar-evolution.h"

#include <algorithm>
#include <cstring>

namespace doall::plugin {
namespace {

// Longer chains are not followed: the expression would grow with every use of a value.
constexpr int deepest = 40;
// Nor more names than these in one expression: one that uses a value twice says it twice.
constexpr int most_names = 1000;

// At what divides by something that is no constant; null: nowhere.
tree divides_by_variable(tree* at, int*, void*) {
  switch (TREE_CODE(*at)) {
    case TRUNC_DIV_EXPR:
    case TRUNC_MOD_EXPR:
    case FLOOR_DIV_EXPR:
    case CEIL_DIV_EXPR:
    case EXACT_DIV_EXPR: return TREE_CODE(TREE_OPERAND(*at, 1)) == INTEGER_CST ? NULL_TREE : *at;
    default: return NULL_TREE;
  }
}

// Whether the value is there when the loop is begun.
bool is_there(const dealt_loop& loop, tree name) {
  if (SSA_NAME_IS_DEFAULT_DEF(name))
    return SSA_NAME_VAR(name) != NULL_TREE && TREE_CODE(SSA_NAME_VAR(name)) == PARM_DECL;
  gimple* s = SSA_NAME_DEF_STMT(name);
  if (gimple_bb(s) != gimple_bb(loop.start))
    return dominated_by_p(CDI_DOMINATORS, gimple_bb(loop.start), gimple_bb(s));
  if (gimple_code(s) == GIMPLE_PHI) return true;
  for (gimple_stmt_iterator at = gsi_for_stmt(loop.start); !gsi_end_p(at); gsi_prev(&at)) {
    if (gsi_stmt(at) == s) return true;
  }
  return false;
}

}  // namespace

bool slice::runs_always(basic_block block) const {
  if (!in_.empty()) {
    if (in_.back().function->always.count(block) == 0) return false;
    block = gimple_bb(in_.back().call);
  }
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
  if (TREE_CODE(value) == SSA_NAME) return of_name(value);
  const bool divides =
      walk_tree_without_duplicates(&value, divides_by_variable, nullptr) != nullptr;
  exact_ += divides;
  const tree said = copy_of(value);
  exact_ -= divides;
  return said;
}

// A value of the loop's header is the same whether its iteration is the first of a range or a later
// one. So it is what it would be at the beginning of a range.
tree slice::of_phi(gphi* phi) {
  for (const auto& numbered : rounds_) {
    if (gimple_bb(phi) == numbered.first->header) return of_round(phi, numbered.first);
  }
  if (!in_.empty() || gimple_bb(phi) != loop_.iterations->header)
    return refuse("it depends on a choice or a sum");
  affine_iv counted;
  if (!loop_.collapsed && !counts(loop_.iterations, gimple_phi_result(phi), &counted))
    return refuse("it depends on what earlier iterations have computed");
  const tree entered = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(loop_.iterations));
  if (!comes_from_first(loop_, entered))
    return refuse("it depends on what earlier iterations have computed");
  return of(entered);
}

// Likewise of a loop inside, whose rounds have numbers.
tree slice::of_round(gphi* phi, const class loop* inner) {
  auto* const l = const_cast<class loop*>(inner);
  affine_iv counted;
  if (!counts(l, gimple_phi_result(phi), &counted))
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

// Whether it reads a variable that the region has by value. The program has no name for its place.
bool slice::reads_closure(const gimple* load) const {
  if (!in_.empty() || !is_gimple_assign(load)) return false;
  const tree from = gimple_assign_rhs1(load);
  if (TREE_CODE(from) != COMPONENT_REF || TREE_CODE(TREE_OPERAND(from, 0)) != MEM_REF) return false;
  const tree base = TREE_OPERAND(TREE_OPERAND(from, 0), 0);
  if (TREE_CODE(base) != SSA_NAME || !SSA_NAME_IS_DEFAULT_DEF(base)) return false;
  // Not `this`, which is an artificial parameter, too.
  const tree decl = SSA_NAME_VAR(base);
  return decl != NULL_TREE && TREE_CODE(decl) == PARM_DECL && DECL_NAME(decl) != NULL_TREE &&
         std::strcmp(IDENTIFIER_POINTER(DECL_NAME(decl)), ".omp_data_i") == 0;
}

// What may change what the load reads between the call that begins the loop, when the costs are
// computed, and the load.
memory_is slice::memory_of(gimple* load) const {
  const auto iteration_begins = [&](tree, gimple* s) {
    return !is_inside(loop_, s) ||
           (gimple_code(s) == GIMPLE_PHI && gimple_bb(s) == loop_.iterations->header);
  };
  if (!in_.empty()) {
    const gimple* call = in_.back().call;
    if (!is_inside(loop_, call)) return memory_is::changed;
    const auto never = [](tree, gimple*) { return false; };
    return std::max(between(load, gimple_vuse(load), never),
                    before_call(load, gimple_vuse(call), iteration_begins));
  }
  if (is_inside(loop_, load)) {
    const bool may_be_stale = comes_first(load) || !gimple_could_trap_p(load);
    return between(load, gimple_vuse(load), iteration_begins,
                   reads_closure(load) ? memory_is::same
                   : may_be_stale      ? memory_is::perhaps_same
                                       : memory_is::changed);
  }
  const tree then = gimple_vuse(load);
  if (dominated_by_p(CDI_DOMINATORS, gimple_bb(load), gimple_bb(loop_.start)) &&
      gimple_bb(load) != gimple_bb(loop_.start))
    return memory_is::same;
  const memory_is found =
      between(load, gimple_vuse(loop_.start), [&](tree memory, gimple*) { return memory == then; });
  return found == memory_is::same ? found : memory_is::changed;
}

// Whether it stands in the loop, or in a function that it calls.
bool slice::is_ours(const gimple* s) const { return !in_.empty() || is_inside(loop_, s); }

// Whether each iteration that begins does it before the program may end.
bool slice::comes_first(const gimple* s) const {
  const gimple* const here = in_.empty() ? s : in_.front().call;
  if (!is_inside(loop_, here)) return true;
  const basic_block block = gimple_bb(here);
  for (const place& end : ends_) {
    // In a loop around both it comes again behind the end, as another round's if these count.
    for (const class loop* l = find_common_loop(block->loop_father, end.block->loop_father);
         l != loop_.iterations; l = loop_outer(l)) {
      if (rounds_.count(l) != 0) return false;
    }
    if (block != end.block) {
      if (!dominated_by_p(CDI_DOMINATORS, end.block, block)) return false;
      continue;
    }
    bool found = end.statement == nullptr;
    gimple_stmt_iterator at = gsi_for_stmt(const_cast<gimple*>(here));
    for (gsi_next(&at); !found && !gsi_end_p(at); gsi_next(&at))
      found = gsi_stmt(at) == end.statement;
    if (!found) return false;
  }
  return true;
}

tree slice::of_load(gimple* load) {
  if (in_.empty() && loads_first(loop_, load)) {
    const tree type = TREE_TYPE(gimple_assign_lhs(load));
    const tree begin = of(loop_.begin());
    const tree step = of(loop_.step());
    if (begin == NULL_TREE || step == NULL_TREE) return NULL_TREE;
    return fold_build2(
        PLUS_EXPR, type, fold_convert(type, begin),
        fold_build2(MULT_EXPR, type, fold_convert(type, k_), fold_convert(type, step)));
  }
  if (gimple_could_trap_p(load) && !comes_first(load))
    return refuse("it calls functions that may end the program, and its loads could then fault");
  if (asked.respects_guards && is_ours(load) && !runs_always(gimple_bb(load)))
    return refuse("it is loaded under a condition");
  const memory_is memory = memory_of(load);
  // What GCC computes with it is checked for overflow, and then the program ends (-ftrapv).
  const bool exact = exact_ > 0 || flag_trapv;
  if (memory == memory_is::changed || (memory == memory_is::perhaps_same && exact))
    return refuse("it may have changed before it is loaded");
  if (memory == memory_is::perhaps_same) stale_ = true;
  ++exact_;
  const tree said = copy_of(gimple_assign_rhs1(load));
  --exact_;
  return said;
}

// The length of a string that the iteration has not written to, nor anything else, is taken again.
tree slice::of_length(gimple* call) {
  if (!in_.empty() || !is_inside(loop_, call) || !comes_first(call) ||
      !runs_always(gimple_bb(call)) || memory_of(call) != memory_is::same)
    return refuse("it depends on a call");
  ++exact_;
  const tree string = of(gimple_call_arg(call, 0));
  --exact_;
  if (string == NULL_TREE) return string;
  return build_call_expr(builtin_decl_explicit(BUILT_IN_STRLEN), 1,
                         fold_convert(const_ptr_type_node, string));
}

// In a called function a parameter is what the call gives for it.
tree slice::of_parameter(tree name) {
  const call_of inner = in_.back();
  const tree decl = SSA_NAME_VAR(name);
  unsigned which = 0;
  tree parameter = decl != NULL_TREE && DECL_CONTEXT(decl) != NULL_TREE
                       ? DECL_ARGUMENTS(DECL_CONTEXT(decl))
                       : NULL_TREE;
  for (; parameter != NULL_TREE && parameter != decl; parameter = DECL_CHAIN(parameter)) ++which;
  if (parameter == NULL_TREE || which >= gimple_call_num_args(inner.call))
    return refuse("it depends on a parameter");
  const tree given = gimple_call_arg(inner.call, which);
  in_.pop_back();
  tree said = of(given);
  in_.push_back(inner);
  if (said == NULL_TREE) return said;
  if (!fold_convertible_p(TREE_TYPE(name), said)) return refuse("it depends on a parameter");
  return fold_convert(TREE_TYPE(name), said);
}

// Lets the thread that begins the loop hand the value over.
tree slice::capture(tree name) {
  for (const captured& c : captures_) {
    if (c.value == name) return c.variable;
  }
  const tree type = TREE_TYPE(name);
  if (!INTEGRAL_TYPE_P(type) && !POINTER_TYPE_P(type) && !SCALAR_FLOAT_TYPE_P(type))
    return NULL_TREE;
  if (SSA_NAME_OCCURS_IN_ABNORMAL_PHI(name) || !is_there(loop_, name)) return NULL_TREE;
  const tree of = SSA_NAME_VAR(name);
  const char* called =
      of != NULL_TREE && DECL_NAME(of) != NULL_TREE ? IDENTIFIER_POINTER(DECL_NAME(of)) : "before";
  captures_.push_back({name, new_variable(function_, called, type)});
  return captures_.back().variable;
}

tree slice::of_name(tree name) {
  if (why_ != nullptr) return NULL_TREE;
  if (SSA_NAME_IS_DEFAULT_DEF(name)) {
    if (!in_.empty()) return of_parameter(name);
    const bool closure = DECL_ARGUMENTS(cfun->decl) != NULL_TREE &&
                         SSA_NAME_VAR(name) == DECL_ARGUMENTS(cfun->decl) &&
                         DECL_ARTIFICIAL(DECL_ARGUMENTS(cfun->decl));
    if (closure) return fold_convert(TREE_TYPE(name), context_);
    const tree handed = capture(name);
    return handed != NULL_TREE ? handed : refuse("it depends on a parameter");
  }
  if (depth_ == 0) names_said_ = 0;
  if (depth_ >= deepest || ++names_said_ > most_names) return refuse("the expression is too long");
  ++depth_;
  tree said = of_definition(name);
  --depth_;
  if (said == NULL_TREE && in_.empty() && !is_inside(loop_, SSA_NAME_DEF_STMT(name))) {
    said = capture(name);
    if (said != NULL_TREE) forget_refusal();
  }
  return said;
}

tree slice::of_definition(tree name) {
  gimple* s = SSA_NAME_DEF_STMT(name);
  if (gphi* phi = dyn_cast<gphi*>(s)) return of_phi(phi);
  if (const tree_code checked = code_of_checked(s); checked != ERROR_MARK) {
    const tree a = of(gimple_call_arg(s, 0));
    const tree b = of(gimple_call_arg(s, 1));
    return a == NULL_TREE || b == NULL_TREE ? NULL_TREE : build2(checked, TREE_TYPE(name), a, b);
  }
  if (gimple_call_builtin_p(s, BUILT_IN_STRLEN)) return of_length(s);
  if (is_square_root(s)) {
    if (is_ours(s) && !runs_always(gimple_bb(s))) return refuse("it depends on a call");
    const tree of_what = of(gimple_call_arg(s, 0));
    return of_what == NULL_TREE ? of_what : square_root(of_what);
  }
  if (!is_gimple_assign(s) || gimple_has_volatile_ops(s)) return refuse("it depends on a call");
  if (stmt_could_throw_p(cfun, s)) return refuse("it depends on what may trap");
  if (gimple_assign_load_p(s)) return of_load(s);
  const tree type = TREE_TYPE(name);
  const tree_code code = gimple_assign_rhs_code(s);
  switch (gimple_assign_rhs_class(s)) {
    case GIMPLE_SINGLE_RHS: return of(gimple_assign_rhs1(s));
    case GIMPLE_UNARY_RHS: {
      const tree a = of(gimple_assign_rhs1(s));
      return a == NULL_TREE ? a : build1(code, type, a);
    }
    case GIMPLE_BINARY_RHS: {
      if (tree moved = of_iterator(s)) return moved;
      const bool traps = gimple_could_trap_p(s);
      exact_ += traps;
      const tree a = of(gimple_assign_rhs1(s));
      const tree b = of(gimple_assign_rhs2(s));
      exact_ -= traps;
      if (traps && is_ours(s) && (!comes_first(s) || !runs_always(gimple_bb(s))))
        return refuse("it divides under a condition");
      return a == NULL_TREE || b == NULL_TREE ? NULL_TREE : build2(code, type, a, b);
    }
    default: return refuse("it depends on an expression of a kind that is not known");
  }
}

}  // namespace doall::plugin
