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
#include "work.hpp"

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

constexpr unsigned cycles_of_grain = 1000;

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

void define_function(tree function, const work& found) {
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
                     build2(MODIFY_EXPR, whole(), result, unshare_expr(found.cycles)));
  tree variables = NULL_TREE;
  for (tree v : found.variables) {
    DECL_CHAIN(v) = variables;
    variables = v;
  }
  BLOCK_VARS(block) = variables;
  DECL_SAVED_TREE(function) = build3(BIND_EXPR, void_type_node, variables, body, block);
  push_struct_function(function);
  pop_cfun();
  gimplify_function_tree(function);
  cgraph_node::add_new_function(function, false);
}

unsigned note_argument(const dealt_loop& loop) { return magic_argument + (loop.ull ? 1 : 0) + 1; }

// Hands what was found to the call that begins the loop.
void hand_on(const dealt_loop& loop, const loop_facts& facts, tree cost) {
  const unsigned at = note_argument(loop);
  unsigned HOST_WIDE_INT bits = facts.grain << grain_shift;
  if (std::string(facts.kind) == "uniform") bits |= is_uniform;
  if (std::string(facts.kind) == "guarded") bits |= is_guarded;
  if (cost != NULL_TREE) bits |= is_weighted;
  if (!asked.keeps) bits |= is_made_anew;
  gimple_call_set_arg(loop.start, at + 3, number(bits));
  note_facts(gimple_call_arg(loop.start, at), bits);
  if (cost != NULL_TREE) {
    const tree closure = ssa_default_def(cfun, DECL_ARGUMENTS(cfun->decl));
    if (closure != NULL_TREE) gimple_call_set_arg(loop.start, at + 1, closure);
    gimple_call_set_arg(loop.start, at + 2, build_fold_addr_expr(cost));
    cgraph_node::get(cfun->decl)
        ->create_reference(cgraph_node::get_create(cost), IPA_REF_ADDR, loop.start);
  }
  update_stmt(loop.start);
}

// What a function costs is not known well enough for a grain (LBS, section 3.2).
bool calls_functions(const class loop* l) {
  bool calls = false;
  basic_block* const blocks = get_loop_body(l);
  for (unsigned i = 0; i < l->num_nodes; ++i) {
    for (gimple_stmt_iterator at = gsi_start_bb(blocks[i]); !gsi_end_p(at); gsi_next(&at))
      calls = calls || (is_gimple_call(gsi_stmt(at)) && !gimple_call_builtin_p(gsi_stmt(at)) &&
                        !gimple_call_internal_p(gsi_stmt(at)));
  }
  free(blocks);
  return calls;
}

void analyse(const dealt_loop& loop, loop_facts& facts) {
  const tree function = declare_function();
  const tree context = DECL_ARGUMENTS(function);
  const tree k = DECL_CHAIN(context);
  work found = work_of(loop, function, context, k);
  facts.grain = 1;
  if (found.cycles == NULL_TREE) {
    facts.kind = found.guard != nullptr ? "guarded" : "unknown";
    facts.reason = found.why;
    return hand_on(loop, facts, NULL_TREE);
  }
  if (!found.varies && !asked.knows_uniform) {
    // Of costs that are all the same the runtime would find that out.
    const tree first = fold_build2(EQ_EXPR, boolean_type_node, k, number(0));
    found.cycles = fold_build2(PLUS_EXPR, whole(), found.cycles, fold_convert(whole(), first));
    found.varies = true;
  }
  if (!found.varies) {
    facts.kind = "uniform";
    if (found.mean != 0 && !calls_functions(loop.iterations))
      facts.grain = std::max(HOST_WIDE_INT_UC(1), (cycles_of_grain + found.mean - 1) / found.mean);
    return hand_on(loop, facts, NULL_TREE);
  }
  facts.kind = "weighted";
  facts.cost = in_words(found, context, k);
  define_function(function, found);
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
    calculate_dominance_info(CDI_POST_DOMINATORS);
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
    free_dominance_info(CDI_POST_DOMINATORS);
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
