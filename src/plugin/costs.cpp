// SPDX-License-Identifier: GPL-3.0-or-later
// Finds what the iterations of a steered loop cost, after GCC has made a function of its region (in
// SSA, after the first clean-ups), for C, C++ and Fortran alike.
//
// An iteration costs its statements, and for each loop inside how often that runs times what one
// round costs (COWS's getWL). A loop is
//   uniform   nothing in it depends on the iteration: no inner loop but with a fixed count, no call
//   weighted  a function cost(context, k) says what iteration k costs
//   guarded   a loop inside stands under a condition (COWS, Opt3)
//   unknown   whatever is not known to be one of these
// The function and the closure are handed to the runtime in the call that begins the loop, which
// calls it before any iteration, on the thread that owns the closure.
#include "slice.hpp"

#include "cgraph.h"
#include "context.h"
#include "dominance.h"
#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "note.hpp"
#include "ssa.h"
#include "stringpool.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "tree-pass.h"
#include "tree-pretty-print.h"
#include "tree-ssa-loop.h"

#include "tree-scalar-evolution.h"
#include "tree-ssa-loop-niter.h"

#include <string>
#include <vector>

namespace doall::plugin {
namespace {

// Cycles, roughly: what a statement of each kind takes on a core of today. Only their ratios count,
// but for the grain.
constexpr unsigned cycles_of_statement = 1;
constexpr unsigned cycles_of_load = 2;
constexpr unsigned cycles_of_division = 12;
constexpr unsigned cycles_of_call = 40;
constexpr unsigned cycles_of_grain = 1000;

unsigned cycles_of(const gimple* s) {
  if (is_gimple_debug(s) || gimple_code(s) == GIMPLE_LABEL || gimple_clobber_p(s)) return 0;
  if (is_gimple_call(s)) return cycles_of_call;
  if (!is_gimple_assign(s)) return cycles_of_statement;
  if (gimple_assign_load_p(s) || gimple_store_p(s)) return cycles_of_load;
  switch (gimple_assign_rhs_code(s)) {
    case TRUNC_DIV_EXPR:
    case TRUNC_MOD_EXPR:
    case RDIV_EXPR: return cycles_of_division;
    default: return cycles_of_statement;
  }
}

// The cost of one round of the loop without those inside it.
unsigned cycles_of_round(const class loop* l) {
  unsigned sum = 0;
  basic_block* const blocks = get_loop_body(l);
  for (unsigned i = 0; i < l->num_nodes; ++i) {
    if (blocks[i]->loop_father != l) continue;
    for (gimple_stmt_iterator at = gsi_start_bb(blocks[i]); !gsi_end_p(at); gsi_next(&at))
      sum += cycles_of(gsi_stmt(at));
  }
  free(blocks);
  return sum == 0 ? 1 : sum;
}

// What the analysis of a loop builds on.
struct costed {
  const dealt_loop& loop;
  slice values;
  tree context;
  tree k;
};

tree whole() { return long_long_unsigned_type_node; }
tree number(unsigned HOST_WIDE_INT value) { return build_int_cst(whole(), value); }

// How often a loop runs whose bound is loaded again in each round: the bound is taken as it is in
// the first.
tree rounds_by_condition(costed& of, class loop* l) {
  const edge leaves = single_exit(l);
  gcond* ends = leaves == nullptr ? nullptr : safe_dyn_cast<gcond*>(last_stmt(leaves->src));
  if (ends == nullptr || leaves->src != l->header)
    return of.values.refuse("the count of a loop in it is not known");
  for (int side = 0; side < 2; ++side) {
    const tree counter = gimple_op(ends, side);
    affine_iv counted;
    if (TREE_CODE(counter) != SSA_NAME || POINTER_TYPE_P(TREE_TYPE(counter)) ||
        !simple_iv(l, l, counter, &counted, false) || !tree_fits_shwi_p(counted.step))
      continue;
    const HOST_WIDE_INT step = tree_to_shwi(counted.step);
    if (step == 0) continue;
    const tree i64 = long_long_integer_type_node;
    const tree from = of.values.of(counted.base);
    const tree to = of.values.of(gimple_op(ends, 1 - side));
    if (from == NULL_TREE || to == NULL_TREE) return NULL_TREE;
    const bool up = step > 0;
    tree span = fold_build2(MINUS_EXPR, i64, fold_convert(i64, up ? to : from),
                            fold_convert(i64, up ? from : to));
    const HOST_WIDE_INT by = up ? step : -step;
    const tree_code code = gimple_cond_code(ends);
    const bool with_end = code == LE_EXPR || code == GE_EXPR   ? (leaves->flags & EDGE_FALSE_VALUE)
                          : code == GT_EXPR || code == LT_EXPR ? (leaves->flags & EDGE_TRUE_VALUE)
                                                               : false;
    span = fold_build2(PLUS_EXPR, i64, span, build_int_cst(i64, with_end ? by : by - 1));
    if (by > 1) span = fold_build2(TRUNC_DIV_EXPR, i64, span, build_int_cst(i64, by));
    return fold_convert(whole(), fold_build2(MAX_EXPR, i64, span, build_zero_cst(i64)));
  }
  return of.values.refuse("the count of a loop in it is not known");
}

// How often the loop's header lets its body run; null: it is not known.
tree rounds_of(costed& of, class loop* l) {
  tree known = number_of_latch_executions(l);
  if (known == NULL_TREE || known == chrec_dont_know) return rounds_by_condition(of, l);
  known = of.values.of(known);
  return known == NULL_TREE ? known : fold_convert(whole(), known);
}

bool has_odd_calls(const class loop* l) {
  bool odd = false;
  basic_block* const blocks = get_loop_body(l);
  for (unsigned i = 0; i < l->num_nodes && !odd; ++i) {
    if (EDGE_COUNT(blocks[i]->succs) == 0) odd = true;  // an iteration may end the program
    for (gimple_stmt_iterator at = gsi_start_bb(blocks[i]); !gsi_end_p(at); gsi_next(&at)) {
      const gimple* s = gsi_stmt(at);
      if (gimple_code(s) == GIMPLE_ASM) odd = true;
      if (!is_gimple_call(s) || gimple_call_internal_p(s)) continue;
      const tree callee = gimple_call_fndecl(s);
      if (callee == NULL_TREE || !fndecl_built_in_p(callee)) odd = true;
      if (callee != NULL_TREE &&
          startswith(IDENTIFIER_POINTER(DECL_NAME(callee)), "__builtin_GOMP"))
        odd = true;
    }
  }
  free(blocks);
  return odd;
}

// The cost of the loops inside `around`, for one round of it; null: not known. `varies` is set if
// it is not the same for each iteration.
tree cost_inside(costed& of, class loop* around, bool& varies, const char*& guard) {
  tree sum = number(0);
  for (class loop* l = around->inner; l != nullptr; l = l->next) {
    if (!dominated_by_p(CDI_DOMINATORS, around->latch, l->header)) {
      guard = "a loop in it stands under a condition";
      return NULL_TREE;
    }
    const tree rounds = rounds_of(of, l);
    if (rounds == NULL_TREE) return NULL_TREE;
    const tree deeper = cost_inside(of, l, varies, guard);
    if (deeper == NULL_TREE) return NULL_TREE;
    if (!really_constant_p(rounds)) varies = true;
    const tree round = fold_build2(PLUS_EXPR, whole(), deeper, number(cycles_of_round(l)));
    sum = fold_build2(PLUS_EXPR, whole(), sum, fold_build2(MULT_EXPR, whole(), rounds, round));
  }
  return sum;
}

tree parameter(tree function, const char* name, tree type) {
  tree p = build_decl(UNKNOWN_LOCATION, PARM_DECL, get_identifier(name), type);
  DECL_ARG_TYPE(p) = type;
  DECL_CONTEXT(p) = function;
  TREE_USED(p) = 1;
  return p;
}

// uint64_t cost(void* context, uint64_t k), without a body.
tree declare_function() {
  static unsigned made = 0;
  const std::string name = "doall_cost." + std::to_string(made++);
  tree function = build_decl(UNKNOWN_LOCATION, FUNCTION_DECL, get_identifier(name.c_str()),
                             build_function_type_list(whole(), ptr_type_node, whole(), NULL_TREE));
  tree context = parameter(function, "context", ptr_type_node);
  DECL_CHAIN(context) = parameter(function, "k", whole());
  DECL_ARGUMENTS(function) = context;
  return function;
}

void define_function(tree function, tree value) {
  TREE_STATIC(function) = TREE_USED(function) = 1;
  DECL_ARTIFICIAL(function) = DECL_IGNORED_P(function) = DECL_UNINLINABLE(function) = 1;
  tree result = build_decl(UNKNOWN_LOCATION, RESULT_DECL, NULL_TREE, whole());
  DECL_ARTIFICIAL(result) = DECL_IGNORED_P(result) = 1;
  DECL_CONTEXT(result) = function;
  DECL_RESULT(function) = result;
  tree block = make_node(BLOCK);
  BLOCK_SUPERCONTEXT(block) = function;
  TREE_USED(block) = 1;
  DECL_INITIAL(function) = block;
  tree body = build1(RETURN_EXPR, void_type_node,
                     build2(MODIFY_EXPR, whole(), result, unshare_expr(value)));
  DECL_SAVED_TREE(function) = build3(BIND_EXPR, void_type_node, NULL_TREE, body, block);
  push_struct_function(function);
  pop_cfun();
  gimplify_function_tree(function);
  cgraph_node::add_new_function(function, false);
}

std::string in_words(tree expression) {
  char* text = print_generic_expr_to_str(expression);
  std::string words = text;
  free(text);
  return words;
}

unsigned note_argument(const dealt_loop& loop) { return magic_argument + (loop.ull ? 1 : 0) + 1; }

// Hands what was found to the call that begins the loop.
void hand_on(const dealt_loop& loop, const loop_facts& facts, tree cost) {
  const unsigned at = note_argument(loop);
  unsigned HOST_WIDE_INT bits = facts.grain << grain_shift;
  if (std::string(facts.kind) == "uniform") bits |= is_uniform;
  if (std::string(facts.kind) == "guarded") bits |= is_guarded;
  gimple_call_set_arg(loop.start, at + 3, number(bits));
  if (cost != NULL_TREE) {
    const tree closure = ssa_default_def(cfun, DECL_ARGUMENTS(cfun->decl));
    if (closure != NULL_TREE) gimple_call_set_arg(loop.start, at + 1, closure);
    gimple_call_set_arg(loop.start, at + 2, build_fold_addr_expr(cost));
    cgraph_node::get(cfun->decl)
        ->create_reference(cgraph_node::get_create(cost), IPA_REF_ADDR, loop.start);
  }
  update_stmt(loop.start);
}

void analyse(const dealt_loop& loop, loop_facts& facts) {
  if (has_odd_calls(loop.iterations)) {
    facts.reason = "it calls functions, or may end early";
    return hand_on(loop, facts, NULL_TREE);
  }
  const tree function = declare_function();
  const tree context = DECL_ARGUMENTS(function);
  const tree k = DECL_CHAIN(context);
  costed of{loop, slice(loop, context, k), context, k};
  bool varies = false;
  const char* guard = nullptr;
  const tree inside = cost_inside(of, loop.iterations, varies, guard);
  const unsigned round = cycles_of_round(loop.iterations);
  if (guard != nullptr) {
    facts.kind = "guarded";
    facts.reason = guard;
    return hand_on(loop, facts, NULL_TREE);
  }
  if (inside == NULL_TREE) {
    facts.reason = of.values.why();
    return hand_on(loop, facts, NULL_TREE);
  }
  if (!varies) {
    facts.kind = "uniform";
    facts.grain = loop.iterations->inner != nullptr ? 1 : std::max(1U, cycles_of_grain / round);
    return hand_on(loop, facts, NULL_TREE);
  }
  const tree cost = fold_build2(PLUS_EXPR, whole(), inside, number(round));
  facts.kind = "weighted";
  facts.cost = in_words(cost);
  facts.grain = 1;
  define_function(function, cost);
  hand_on(loop, facts, function);
}

bool is_call_of(const gimple* s, built_in_function which) {
  return is_gimple_call(s) && gimple_call_fndecl(s) != NULL_TREE &&
         fndecl_built_in_p(gimple_call_fndecl(s), which);
}

// The steered loop that the statement begins; null: none.
loop_facts* loop_begun_by(const gimple* s, bool& ull) {
  ull = is_call_of(s, BUILT_IN_GOMP_LOOP_ULL_START);
  if (!ull && !is_call_of(s, BUILT_IN_GOMP_LOOP_START)) return nullptr;
  const unsigned at = magic_argument + (ull ? 1 : 0);
  if (gimple_call_num_args(s) != at + 5) return nullptr;
  return loop_of_note(gimple_call_arg(s, at + 1));
}

// The loop that asks for a range in each round, after that call: it is the outermost one that the
// call's block dominates and that asks for the range in its own blocks.
bool find_loops(function* f, dealt_loop& loop) {
  for (class loop* l : loops_list(f, LI_FROM_INNERMOST)) {
    if (!dominated_by_p(CDI_DOMINATORS, l->header, gimple_bb(loop.start)) || l->inner == nullptr ||
        l->inner->next != nullptr)
      continue;
    bool asks = false;
    basic_block* const blocks = get_loop_body(l);
    for (unsigned i = 0; i < l->num_nodes; ++i) {
      if (blocks[i]->loop_father != l) continue;
      for (gimple_stmt_iterator at = gsi_start_bb(blocks[i]); !gsi_end_p(at); gsi_next(&at)) {
        const gimple* s = gsi_stmt(at);
        const bool next = is_call_of(s, BUILT_IN_GOMP_LOOP_RUNTIME_NEXT) ||
                          is_call_of(s, BUILT_IN_GOMP_LOOP_ULL_RUNTIME_NEXT);
        asks = asks || (next && operand_equal_p(gimple_call_arg(s, 0), loop.first(), 0));
      }
    }
    free(blocks);
    if (!asks) continue;
    loop.chunk = l;
    loop.iterations = l->inner;
    return true;
  }
  return false;
}

constexpr pass_data costs_data = {
    GIMPLE_PASS, "doall_costs", OPTGROUP_OMP, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, 0};

class finding_costs : public gimple_opt_pass {
 public:
  finding_costs() : gimple_opt_pass(costs_data, g) {}
  bool gate(function*) final { return flag_openmp && !in_lto_p && !loops.empty(); }
  unsigned execute(function* f) final {
    std::vector<std::pair<gcall*, bool>> starts;
    basic_block block;
    FOR_EACH_BB_FN(block, f) {
      for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        bool ull = false;
        if (loop_begun_by(gsi_stmt(at), ull) != nullptr)
          starts.emplace_back(as_a<gcall*>(gsi_stmt(at)), ull);
      }
    }
    if (starts.empty()) return 0;
    loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
    scev_initialize();
    calculate_dominance_info(CDI_DOMINATORS);
    for (const auto& [start, ull] : starts) {
      dealt_loop loop;
      loop.start = start;
      loop.ull = ull;
      bool ignored = false;
      loop_facts* facts = loop_begun_by(start, ignored);
      if (find_loops(f, loop))
        analyse(loop, *facts);
      else
        facts->reason = "GCC has changed its shape";
    }
    scev_finalize();
    loop_optimizer_finalize();
    return 0;
  }
};

}  // namespace

void register_costs(const char* plugin) {
  static register_pass_info here = {new finding_costs, "cddce", 1, PASS_POS_INSERT_AFTER};
  register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &here);
}

}  // namespace doall::plugin
