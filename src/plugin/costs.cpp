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
#include "entries.hpp"
#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "made_function.hpp"
#include "note.hpp"
#include "ssa.h"
#include "stor-layout.h"
#include "stringpool.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "tree-into-ssa.h"
#include "tree-iterator.h"
#include "tree-pass.h"
#include "tree-pretty-print.h"
#include "tree-ssa-alias.h"
#include "tree-ssa-loop.h"

#include "tree-scalar-evolution.h"
#include "tree-ssa-loop-niter.h"

#include <string>
#include <vector>

namespace doall::plugin {
namespace {

// uint64_t cost(void* context, uint64_t k), without a body.
tree declare_cost() {
  static unsigned made = 0;
  const tree function = declare_function("doall_cost." + std::to_string(made++), whole(),
                                         {{"context", ptr_type_node}, {"k", whole()}});
  // What it computes the loop computes again, and checks.
  DECL_ATTRIBUTES(function) =
      without_checks(SANITIZE_UNDEFINED | SANITIZE_UNDEFINED_NONDEFAULT, NULL_TREE);
  return function;
}

// The type of what a thread hands over: the closure, and the captured values.
tree type_of_context(const work& found) {
  const tree type = make_node(RECORD_TYPE);
  tree* last = &TYPE_FIELDS(type);
  const auto add = [&](tree of) {
    const tree field = build_decl(UNKNOWN_LOCATION, FIELD_DECL, NULL_TREE, of);
    DECL_CONTEXT(field) = type;
    *last = field;
    last = &DECL_CHAIN(field);
  };
  add(ptr_type_node);
  for (const captured& c : found.captures) add(TREE_TYPE(c.value));
  TYPE_ARTIFICIAL(type) = 1;
  layout_type(type);
  return type;
}

tree field_of(tree record, tree field) {
  return build3(COMPONENT_REF, TREE_TYPE(field), record, field, NULL_TREE);
}

// If values were captured the function first takes them, and the closure, out of its context.
// Returns the context's type; null: the context is the closure.
tree define_cost(tree function, const work& found) {
  tree all = NULL_TREE;
  std::vector<tree> variables = found.variables;
  tree type = NULL_TREE;
  if (!found.captures.empty()) {
    type = type_of_context(found);
    const tree context = DECL_ARGUMENTS(function);
    const tree record =
        build1(INDIRECT_REF, type, build1(NOP_EXPR, build_pointer_type(type), context));
    tree field = DECL_CHAIN(TYPE_FIELDS(type));
    for (const captured& c : found.captures) {
      append_to_statement_list(
          build2(MODIFY_EXPR, void_type_node, c.variable, field_of(unshare_expr(record), field)),
          &all);
      variables.push_back(c.variable);
      field = DECL_CHAIN(field);
    }
    append_to_statement_list(build2(MODIFY_EXPR, void_type_node, context,
                                    field_of(unshare_expr(record), TYPE_FIELDS(type))),
                             &all);
  }
  append_to_statement_list(returns(function, unshare_expr(found.cycles)), &all);
  define_function(function, all, variables);
  cgraph_node::add_new_function(function, false);
  return type;
}

// Puts the closure and the captured values into a variable of the thread's, before the loop.
tree context_for(const dealt_loop& loop, const work& found, tree type, tree closure) {
  const tree variable = create_tmp_var_raw(type, "doall_context");
  gimple_add_tmp_var(variable);
  TREE_ADDRESSABLE(variable) = 1;
  gimple_stmt_iterator at = gsi_for_stmt(loop.start);
  const auto put = [&](tree field, tree value) {
    gsi_insert_before(&at, gimple_build_assign(field_of(variable, field), value), GSI_SAME_STMT);
  };
  tree field = TYPE_FIELDS(type);
  if (closure != NULL_TREE) put(field, closure);
  for (const captured& c : found.captures) {
    field = DECL_CHAIN(field);
    put(field, c.value);
  }
  // What GCC knows of the call's memory is older.
  pt_solution_reset(gimple_call_use_set(loop.start));
  pt_solution_reset(gimple_call_clobber_set(loop.start));
  mark_virtual_operands_for_renaming(cfun);
  return build_fold_addr_expr(variable);
}

// Hands what was found to the call that begins the loop.
void hand_on(const dealt_loop& loop, const loop_facts& facts, tree cost = NULL_TREE,
             tree context = NULL_TREE) {
  const unsigned at = loop.note_at;
  unsigned HOST_WIDE_INT bits = facts.grain << grain_shift | facts.fine << fine_shift;
  if (std::string(facts.kind) == "uniform") bits |= is_uniform;
  if (std::string(facts.kind) == "guarded") bits |= is_guarded;
  if (cost != NULL_TREE) bits |= is_weighted;
  if (!asked.keeps) bits |= is_made_anew;
  note_facts(loop.note(), bits);
  // An entry of the object's own reads the note.
  if (facts.counts == 0) gimple_call_set_arg(loop.start, at + 3, number(bits));
  if (cost != NULL_TREE) {
    if (context != NULL_TREE) gimple_call_set_arg(loop.start, at + 1, context);
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
  const tree function = declare_cost();
  const tree context = DECL_ARGUMENTS(function);
  const tree k = DECL_CHAIN(context);
  work found = work_of(loop, function, context, k);
  facts.grain = 1;
  if (found.cycles == NULL_TREE) {
    facts.kind = found.guard != nullptr ? "guarded" : "unknown";
    facts.reason = found.why;
    return hand_on(loop, facts);
  }
  if (!found.varies && found.at_most) {
    facts.kind = "unknown";
    facts.reason = "a loop in it may be left early";
    return hand_on(loop, facts);
  }
  facts.at_most = found.at_most;
  facts.about = found.uncertain;
  if (!found.varies && !asked.knows_uniform) {
    // Of costs that are all the same the runtime would find that out.
    const tree first = fold_build2(EQ_EXPR, boolean_type_node, k, number(0));
    found.cycles = fold_build2(PLUS_EXPR, whole(), found.cycles, fold_convert(whole(), first));
    found.varies = true;
  }
  if (!found.varies) {
    facts.kind = "uniform";
    if (tree_fits_uhwi_p(found.cycles))
      facts.fine = cycles_of_fine_loop / std::max(HOST_WIDE_INT_UC(1), tree_to_uhwi(found.cycles));
    if (found.mean != 0 && !calls_functions(loop.iterations)) facts.grain = grain_of(found.mean);
    return hand_on(loop, facts);
  }
  facts.kind = "weighted";
  facts.cost = in_words(found, context, k);
  const tree type = define_cost(function, found);
  tree closure = NULL_TREE;
  if (DECL_ARGUMENTS(cfun->decl) != NULL_TREE && DECL_ARTIFICIAL(DECL_ARGUMENTS(cfun->decl)))
    closure = ssa_default_def(cfun, DECL_ARGUMENTS(cfun->decl));
  hand_on(loop, facts, function,
          type == NULL_TREE ? closure : context_for(loop, found, type, closure));
}

bool is_call_of(const gimple* s, built_in_function which) {
  return is_gimple_call(s) && gimple_call_fndecl(s) != NULL_TREE &&
         fndecl_built_in_p(gimple_call_fndecl(s), which);
}

// The steered loop that the statement begins; null: none.
loop_facts* loop_begun_by(gimple* s, dealt_loop& loop) {
  if (!is_gimple_call(s)) return nullptr;
  unsigned arguments = 0;
  if (made_entries().begin != NULL_TREE && gimple_call_fndecl(s) == made_entries().begin) {
    loop.begin_at = 0;
    loop.first_at = 3;
    loop.note_at = note_of_entry;
    arguments = note_of_entry + 3;
  } else {
    const bool ull = is_call_of(s, BUILT_IN_GOMP_LOOP_ULL_START);
    if (!ull && !is_call_of(s, BUILT_IN_GOMP_LOOP_START)) return nullptr;
    loop.begin_at = ull ? 1 : 0;
    loop.first_at = loop.begin_at + 5;
    loop.note_at = loop.begin_at + magic_argument + 1;
    arguments = loop.note_at + 4;
  }
  if (gimple_call_num_args(s) != arguments) return nullptr;
  loop.start = as_a<gcall*>(s);
  return loop_of_note(loop.note());
}

bool asks_for_next(const gimple* s) {
  return is_call_of(s, BUILT_IN_GOMP_LOOP_RUNTIME_NEXT) ||
         is_call_of(s, BUILT_IN_GOMP_LOOP_ULL_RUNTIME_NEXT) ||
         (is_gimple_call(s) && made_entries().next != NULL_TREE &&
          gimple_call_fndecl(s) == made_entries().next);
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
        asks =
            asks || (asks_for_next(s) && operand_equal_p(gimple_call_arg(s, 0), loop.first(), 0));
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
    std::vector<std::pair<dealt_loop, loop_facts*>> starts;
    basic_block block;
    FOR_EACH_BB_FN(block, f) {
      for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        dealt_loop loop;
        if (loop_facts* facts = loop_begun_by(gsi_stmt(at), loop)) starts.emplace_back(loop, facts);
      }
    }
    if (starts.empty()) return 0;
    look_at_callees(f);
    loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
    scev_initialize();
    calculate_dominance_info(CDI_DOMINATORS);
    calculate_dominance_info(CDI_POST_DOMINATORS);
    for (auto& [loop, facts] : starts) {
      loop.collapsed = facts->collapsed;
      if (find_loops(f, loop))
        analyse(loop, *facts);
      else
        facts->reason = "GCC has changed its shape";
    }
    free_dominance_info(CDI_POST_DOMINATORS);
    scev_finalize();
    loop_optimizer_finalize();
    return TODO_update_ssa_only_virtuals;
  }
};

}  // namespace

void register_costs(const char* plugin) {
  static register_pass_info here = {new finding_costs, "cddce", 1, PASS_POS_INSERT_AFTER};
  register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &here);
}

}  // namespace doall::plugin
