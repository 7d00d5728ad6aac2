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

// What an operation that is checked for overflow computes; ERROR_MARK: it is none.
tree_code code_of_checked(const gimple* s) {
  if (!is_gimple_call(s) || !gimple_call_internal_p(s)) return ERROR_MARK;
  switch (gimple_call_internal_fn(s)) {
    case IFN_UBSAN_CHECK_ADD: return PLUS_EXPR;
    case IFN_UBSAN_CHECK_SUB: return MINUS_EXPR;
    case IFN_UBSAN_CHECK_MUL: return MULT_EXPR;
    default: return ERROR_MARK;
  }
}

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
  return callee != NULL_TREE && DECL_EXTERNAL(callee) && TREE_PUBLIC(callee) &&
         startswith(IDENTIFIER_POINTER(DECL_NAME(callee)), "omp_get_");
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
  if (!counts(loop_.iterations, gimple_phi_result(phi), &counted))
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
  if (is_check(s) || is_question(s) || code_of_checked(s) != ERROR_MARK) return true;
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
  if (safe_ && is_inside(loop_, load))
    return refuse("it calls functions that may end the program, and its loads could then fault");
  if (asked.respects_guards && is_inside(loop_, load) && !runs_always(gimple_bb(load)))
    return refuse("it is loaded under a condition");
  if (!is_settled(load)) return refuse("it may have changed before it is loaded");
  return copy_of(gimple_assign_rhs1(load));
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
    const bool closure = DECL_ARGUMENTS(cfun->decl) != NULL_TREE &&
                         SSA_NAME_VAR(name) == DECL_ARGUMENTS(cfun->decl) &&
                         DECL_ARTIFICIAL(DECL_ARGUMENTS(cfun->decl));
    if (closure) return fold_convert(TREE_TYPE(name), context_);
    const tree handed = capture(name);
    return handed != NULL_TREE ? handed : refuse("it depends on a parameter");
  }
  if (depth_ >= deepest) return refuse("the expression is too long");
  ++depth_;
  tree said = of_definition(name);
  --depth_;
  if (said == NULL_TREE && !is_inside(loop_, SSA_NAME_DEF_STMT(name))) {
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
  if (!is_gimple_assign(s) || gimple_has_volatile_ops(s)) return refuse("it depends on a call");
  if (gimple_assign_load_p(s)) return of_load(s);
  if (stmt_could_throw_p(cfun, s)) return refuse("it depends on what may trap");
  const tree type = TREE_TYPE(name);
  const tree_code code = gimple_assign_rhs_code(s);
  switch (gimple_assign_rhs_class(s)) {
    case GIMPLE_SINGLE_RHS: return of(gimple_assign_rhs1(s));
    case GIMPLE_UNARY_RHS: {
      const tree a = of(gimple_assign_rhs1(s));
      return a == NULL_TREE ? a : build1(code, type, a);
    }
    case GIMPLE_BINARY_RHS: {
      const tree a = of(gimple_assign_rhs1(s));
      const tree b = of(gimple_assign_rhs2(s));
      if (gimple_could_trap_p(s) && is_inside(loop_, s) && (safe_ || !runs_always(gimple_bb(s))))
        return refuse("it divides under a condition");
      return a == NULL_TREE || b == NULL_TREE ? NULL_TREE : build2(code, type, a, b);
    }
    default: return refuse("it depends on an expression of a kind that is not known");
  }
}

}  // namespace doall::plugin
