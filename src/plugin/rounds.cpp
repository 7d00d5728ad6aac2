// SPDX-License-Identifier: GPL-3.0-or-later
#include "rounds.hpp"

#include "dominance.h"
#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "made_function.hpp"
#include "ssa.h"
#include "tree-cfg.h"

#include "tree-scalar-evolution.h"
#include "tree-ssa-loop-niter.h"

namespace doall::plugin {

std::vector<edge> exits_of(const class loop* l) {
  std::vector<edge> found;
  auto_vec<edge> all = get_loop_exit_edges(l);
  for (unsigned i = 0; i < all.length(); ++i) {
    basic_block after = all[i]->dest;
    for (int steps = 0; steps < 8 && single_succ_p(after) && gimple_seq_empty_p(bb_seq(after));
         ++steps)
      after = single_succ(after);
    const bool ends = EDGE_COUNT(after->succs) == 0 && after != EXIT_BLOCK_PTR_FOR_FN(cfun);
    if (!ends) found.push_back(all[i]);
  }
  return found;
}

namespace {

const char* const not_counted = "the count of a loop in it is not known";

// How often a loop runs whose bound is loaded again in each round, or that GCC does not know how to
// count: the bound is taken as it is in the first round.
tree rounds_by_condition(slice& values, class loop* l, edge leaves) {
  gcond* ends = safe_dyn_cast<gcond*>(gsi_stmt(gsi_last_nondebug_bb(leaves->src)));
  if (ends == nullptr || leaves->src != l->header) return values.refuse(not_counted);
  for (int side = 0; side < 2; ++side) {
    const tree counter = gimple_op(ends, side);
    affine_iv counted;
    if (TREE_CODE(counter) != SSA_NAME || POINTER_TYPE_P(TREE_TYPE(counter)) ||
        !counts(l, counter, &counted) || !tree_fits_shwi_p(counted.step))
      continue;
    const HOST_WIDE_INT step = tree_to_shwi(counted.step);
    if (step == 0) continue;
    const tree i64 = long_long_integer_type_node;
    const tree from = values.of(counted.base);
    const tree to = values.of(gimple_op(ends, 1 - side));
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
  return values.refuse(not_counted);
}

// Whether the loop asks at its end whether it goes on: what it counts on is then computed before
// the exit.
bool asks_at_end(const class loop* l, edge leaves) {
  if (leaves->src != l->header) return true;
  for (gphi_iterator at = gsi_start_phis(l->header); !gsi_end_p(at); gsi_next(&at)) {
    if (virtual_operand_p(gimple_phi_result(at.phi()))) continue;
    const tree next = PHI_ARG_DEF_FROM_EDGE(at.phi(), loop_latch_edge(l));
    if (TREE_CODE(next) == SSA_NAME && gimple_bb(SSA_NAME_DEF_STMT(next)) == l->header &&
        gimple_code(SSA_NAME_DEF_STMT(next)) != GIMPLE_PHI)
      return true;
  }
  return false;
}

// How often the latch runs before the loop is left by that edge, as GCC knows it; null: it does
// not.
tree latch_runs_before(class loop* l, edge leaves) {
  if (single_exit(l) != nullptr) {
    const tree known = number_of_latch_executions(l);
    return known == chrec_dont_know ? NULL_TREE : known;
  }
  class tree_niter_desc counted;
  if (loop_latch_edge(l) == nullptr ||
      !number_of_iterations_exit(l, leaves, &counted, false, true) ||
      counted.niter == chrec_dont_know || !integer_nonzerop(counted.assumptions))
    return NULL_TREE;
  return fold_build3(COND_EXPR, TREE_TYPE(counted.niter), counted.may_be_zero,
                     build_zero_cst(TREE_TYPE(counted.niter)), counted.niter);
}

// How often the loop runs its body if it is left by that edge; null: it is not known.
tree rounds_before(slice& values, class loop* l, edge leaves) {
  tree known = latch_runs_before(l, leaves);
  const bool once_more = asks_at_end(l, leaves);
  if (known == NULL_TREE)
    return once_more ? values.refuse(not_counted) : rounds_by_condition(values, l, leaves);
  known = values.of(known);
  if (known == NULL_TREE) return known;
  known = fold_convert(whole(), known);
  return once_more ? fold_build2(PLUS_EXPR, whole(), known, number(1)) : known;
}

}  // namespace

tree rounds_of(slice& values, class loop* l, bool& at_most) {
  const std::vector<edge> exits = exits_of(l);
  if (exits.empty()) return values.refuse(not_counted);
  if (exits.size() == 1) return rounds_before(values, l, exits[0]);
  tree least = NULL_TREE;
  for (const edge leaves : exits) {
    if (!dominated_by_p(CDI_DOMINATORS, l->latch, leaves->src)) continue;
    const tree rounds = rounds_before(values, l, leaves);
    values.forget_refusal();
    if (rounds == NULL_TREE) continue;
    least = least == NULL_TREE ? rounds : fold_build2(MIN_EXPR, whole(), least, rounds);
  }
  if (least == NULL_TREE)
    return values.refuse("a loop in it has several exits, and none of a count that is known");
  at_most = true;
  return least;
}

}  // namespace doall::plugin
