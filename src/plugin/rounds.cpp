// SPDX-License-Identifier: GPL-3.0-or-later
#include "rounds.hpp"

#include "dominance.h"
#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "internal-fn.h"
#include "made_function.hpp"
#include "slice.hpp"
#include "ssa.h"
#include "tree-cfg.h"

#include "tree-scalar-evolution.h"
#include "tree-ssa-loop-niter.h"

namespace doall::plugin {

namespace {

const char* const not_counted = "the count of a loop in it is not known";

// Where the edge leads, past blocks that do nothing.
basic_block end_of(edge leaves) {
  basic_block after = leaves->dest;
  for (int steps = 0; steps < 8 && single_succ_p(after) && gimple_seq_empty_p(bb_seq(after));
       ++steps)
    after = single_succ(after);
  return after;
}

bool ends_program(edge leaves) {
  const basic_block after = end_of(leaves);
  return EDGE_COUNT(after->succs) == 0 && after != EXIT_BLOCK_PTR_FOR_FN(cfun);
}

// Whether a sanitizer's check ends the program there.
bool fails_check(edge leaves) {
  if (!ends_program(leaves)) return false;
  for (gimple_stmt_iterator at = gsi_start_bb(end_of(leaves)); !gsi_end_p(at); gsi_next(&at)) {
    if (is_check(gsi_stmt(at))) return true;
  }
  return false;
}

// Whether the edge leaves from the end of a round.
bool leaves_at_end(const class loop* l, edge leaves) {
  if (leaves->src == l->latch) return true;
  return single_pred_p(l->latch) && single_pred(l->latch) == leaves->src && empty_block_p(l->latch);
}

template <class Wanted>
std::vector<edge> chosen_exits(const class loop* l, Wanted wanted) {
  std::vector<edge> found;
  auto_vec<edge> all = get_loop_exit_edges(l);
  for (unsigned i = 0; i < all.length(); ++i) {
    if (wanted(all[i])) found.push_back(all[i]);
  }
  return found;
}

}  // namespace

std::vector<edge> exits_of(const class loop* l) {
  return chosen_exits(l, [](edge leaves) { return !ends_program(leaves); });
}

std::vector<edge> early_exits_of(const class loop* l) {
  return chosen_exits(
      l, [&](edge leaves) { return !fails_check(leaves) && !leaves_at_end(l, leaves); });
}

bool has_one_exit(const class loop* l) {
  return chosen_exits(l, [](edge leaves) { return !fails_check(leaves); }).size() == 1;
}

namespace {

// By how many bits the value of the loop's header moves in each round, to the left or the right,
// by multiplications, divisions or shifts by constants; 0: it does something else.
unsigned bits_moved(class loop* l, tree value, bool& left, tree& from) {
  const gphi* phi = dyn_cast<gphi*>(SSA_NAME_DEF_STMT(value));
  if (phi == nullptr || gimple_bb(phi) != l->header || loop_latch_edge(l) == nullptr) return 0;
  tree next = PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(l));
  from = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l));
  while (TREE_CODE(next) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(next))) {
    const gimple* s = SSA_NAME_DEF_STMT(next);
    const tree_code code = gimple_assign_rhs_code(s);
    if (CONVERT_EXPR_CODE_P(code) || code == SSA_NAME) {
      next = gimple_assign_rhs1(s);
      continue;
    }
    if (gimple_num_ops(s) != 3) return 0;
    tree by = gimple_assign_rhs2(s);
    if (by == value && code == PLUS_EXPR && gimple_assign_rhs1(s) == value) {
      left = true;
      return 1;  // doubled
    }
    if (gimple_assign_rhs1(s) != value || !tree_fits_uhwi_p(by)) return 0;
    left = code == MULT_EXPR || code == LSHIFT_EXPR;
    const unsigned HOST_WIDE_INT amount = tree_to_uhwi(by);
    if (code == LSHIFT_EXPR || code == RSHIFT_EXPR) return amount < 63 ? amount : 0;
    if (code != MULT_EXPR && code != TRUNC_DIV_EXPR) return 0;
    return amount < 2 || !pow2p_hwi(amount) ? 0 : floor_log2(amount);
  }
  return 0;
}

tree without_conversions(tree value) {
  while (TREE_CODE(value) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(value))) {
    const gimple* s = SSA_NAME_DEF_STMT(value);
    const tree_code code = gimple_assign_rhs_code(s);
    if (!CONVERT_EXPR_CODE_P(code) && code != SSA_NAME && code != FLOAT_EXPR) break;
    value = gimple_assign_rhs1(s);
  }
  return value;
}

// What the value is the square of; null: of nothing.
tree root_of_square(tree value) {
  value = without_conversions(value);
  if (TREE_CODE(value) != SSA_NAME) return NULL_TREE;
  const gimple* s = SSA_NAME_DEF_STMT(value);
  tree a = NULL_TREE;
  tree b = NULL_TREE;
  if (is_gimple_assign(s) && gimple_assign_rhs_code(s) == MULT_EXPR) {
    a = gimple_assign_rhs1(s);
    b = gimple_assign_rhs2(s);
  } else if (code_of_checked(s) == MULT_EXPR) {
    a = gimple_call_arg(s, 0);
    b = gimple_call_arg(s, 1);
  } else {
    return NULL_TREE;
  }
  a = without_conversions(a);
  return TREE_CODE(a) == SSA_NAME && a == without_conversions(b) ? a : NULL_TREE;
}

// What is divided by `by` to make the value; null: nothing.
tree divided(tree value, tree by) {
  value = without_conversions(value);
  if (TREE_CODE(value) != SSA_NAME || !is_gimple_assign(SSA_NAME_DEF_STMT(value))) return NULL_TREE;
  const gimple* s = SSA_NAME_DEF_STMT(value);
  const bool is_it = gimple_assign_rhs_code(s) == TRUNC_DIV_EXPR &&
                     without_conversions(gimple_assign_rhs2(s)) == by;
  return is_it ? gimple_assign_rhs1(s) : NULL_TREE;
}

// Whether it is the square root of a whole number: one itself, it fits in those.
bool is_root_of_whole(tree value) {
  if (TREE_CODE(value) != SSA_NAME || !is_square_root(SSA_NAME_DEF_STMT(value))) return false;
  const tree of = without_conversions(gimple_call_arg(SSA_NAME_DEF_STMT(value), 0));
  return INTEGRAL_TYPE_P(TREE_TYPE(of));
}

// The counter and the bound of a condition: of j * j < n the counter is j, of j <= n / j, too, with
// the bound n. Of j <= sqrt(n) the bound is made a whole number.
void read_condition(count_of_loop& found, tree& counter, tree& bound) {
  found.to = bound;
  if (const tree root = root_of_square(counter)) {
    counter = root;
    found.square = true;
    return;
  }
  const tree plain = without_conversions(counter);
  if (const tree all = divided(bound, plain)) {
    counter = plain;
    found.to = all;
    found.square = true;
  } else if (is_root_of_whole(bound) && SCALAR_FLOAT_TYPE_P(TREE_TYPE(counter))) {
    counter = plain;
    found.to = build1(FIX_TRUNC_EXPR, long_long_integer_type_node, bound);
  }
}

// Of j < sqrt(n): the least whole number that is no smaller than the root.
tree rounded_up(tree truncated, tree root) {
  const tree i64 = long_long_integer_type_node;
  const tree below =
      build2(LT_EXPR, boolean_type_node, build1(FLOAT_EXPR, TREE_TYPE(root), truncated), root);
  return build2(PLUS_EXPR, i64, truncated, build1(NOP_EXPR, i64, below));
}

// Of a loop whose bound is loaded again in each round, or that GCC does not know how to count.
count_of_loop count_by_condition(class loop* l, edge leaves) {
  count_of_loop found;
  gcond* ends = safe_dyn_cast<gcond*>(gsi_stmt(gsi_last_nondebug_bb(leaves->src)));
  if (ends == nullptr || leaves->src != l->header) return found;
  const tree_code code = gimple_cond_code(ends);
  const bool goes_on = (leaves->flags & EDGE_FALSE_VALUE) != 0;
  for (int side = 0; side < 2; ++side) {
    tree counter = gimple_op(ends, side);
    tree bound = gimple_op(ends, 1 - side);
    if (TREE_CODE(counter) != SSA_NAME) continue;
    found = count_of_loop{};
    const bool whole_number = INTEGRAL_TYPE_P(TREE_TYPE(counter));
    read_condition(found, counter, bound);
    if (TREE_CODE(counter) != SSA_NAME || !INTEGRAL_TYPE_P(TREE_TYPE(counter))) continue;
    affine_iv counted;
    const bool less = code == LT_EXPR || code == LE_EXPR;
    const bool compares = less || code == GT_EXPR || code == GE_EXPR;
    const bool while_unequal = code == (goes_on ? NE_EXPR : EQ_EXPR);
    if (!compares && !while_unequal) continue;
    // Whether it goes on for as long as the counter is the smaller one.
    const bool while_less = less == (side == 0) ? goes_on : !goes_on;
    if (TYPE_PRECISION(TREE_TYPE(counter)) > HOST_BITS_PER_WIDE_INT) continue;
    if (counts(l, counter, &counted)) {
      const bool constant = TREE_CODE(counted.step) == INTEGER_CST;
      if (constant ? integer_zerop(counted.step) : !compares) continue;
      found.from = counted.base;
      found.step = counted.step;
      found.up = constant ? !wi::neg_p(wi::to_wide(counted.step), SIGNED) : while_less;
      // Away from the bound it goes until the counter wraps around.
      if (compares && found.up != while_less) continue;
      const bool only_up = found.square || !whole_number;
      if (only_up && (!compares || !found.up)) continue;
      if (!only_up) found.type = TREE_TYPE(counter);
    } else if (const unsigned bits = bits_moved(l, counter, found.up, found.from);
               bits != 0 && whole_number && !found.square && compares && found.up == while_less) {
      found.bits = bits;
    } else {
      continue;
    }
    found.with_end = code == LE_EXPR || code == GE_EXPR ? goes_on : compares && !goes_on;
    if (!whole_number && !found.square && !found.with_end) {
      found.to = rounded_up(found.to, bound);
    }
    return found;
  }
  return {};
}

tree signed_whole(tree value) { return fold_convert(long_long_integer_type_node, value); }

// By how much the counter moves in each round.
tree say_step(const count_of_loop& count, tree step) {
  const tree i64 = long_long_integer_type_node;
  if (!count.up) {  // what is taken away has a sign, of whatever type it is
    step = signed_whole(fold_convert(signed_type_for(TREE_TYPE(step)), step));
    step = fold_build1(NEGATE_EXPR, i64, step);
  }
  return fold_build2(MAX_EXPR, i64, signed_whole(step), build_one_cst(i64));
}

// Of a counter that is added to, and has 64 bits: the way between its ends may be too long for a
// number with a sign.
tree say_by_long_steps(const count_of_loop& count, tree from, tree to, tree by) {
  const auto plain = [](tree value) { return fold_convert(whole(), value); };
  const tree low = count.up ? from : to;
  const tree high = count.up ? to : from;
  by = plain(by);
  if (count.with_end) {
    const tree begins = fold_build2(LE_EXPR, boolean_type_node, low, high);
    tree way = fold_build2(MINUS_EXPR, whole(), plain(high), plain(low));
    if (!integer_onep(by)) way = fold_build2(TRUNC_DIV_EXPR, whole(), way, by);
    way = fold_build2(PLUS_EXPR, whole(), way, number(1));
    return fold_build3(COND_EXPR, whole(), begins, way, number(0));
  }
  tree way = fold_build2(MAX_EXPR, count.type, high, low);
  way = fold_build2(MINUS_EXPR, whole(), plain(way), plain(low));
  if (integer_onep(by)) return way;
  way = fold_build2(PLUS_EXPR, whole(), way, fold_build2(MINUS_EXPR, whole(), by, number(1)));
  return fold_build2(TRUNC_DIV_EXPR, whole(), way, by);
}

// Of a counter that is added to.
tree say_by_steps(const count_of_loop& count, tree from, tree to, tree step) {
  const tree i64 = long_long_integer_type_node;
  const auto constant = [&](HOST_WIDE_INT value) { return build_int_cst(i64, value); };
  const tree by = say_step(count, step);
  if (count.type != NULL_TREE) {
    from = fold_convert(count.type, from);
    to = fold_convert(count.type, to);
    const bool short_way = !TYPE_UNSIGNED(count.type) && integer_zerop(count.up ? from : to);
    if (TYPE_PRECISION(count.type) == HOST_BITS_PER_WIDE_INT && !short_way)
      return say_by_long_steps(count, from, to, by);
  }
  from = signed_whole(from);
  to = signed_whole(to);
  tree span = fold_build2(MINUS_EXPR, i64, count.up ? to : from, count.up ? from : to);
  span = fold_build2(PLUS_EXPR, i64, span,
                     count.with_end ? by : fold_build2(MINUS_EXPR, i64, by, constant(1)));
  if (!integer_onep(by)) span = fold_build2(TRUNC_DIV_EXPR, i64, span, by);
  return fold_convert(whole(), fold_build2(MAX_EXPR, i64, span, constant(0)));
}

// Of one whose square is compared.
tree say_by_squares(const count_of_loop& count, tree from, tree to, tree step) {
  const tree i64 = long_long_integer_type_node;
  if (!direct_internal_fn_supported_p(IFN_SQRT, double_type_node, OPTIMIZE_FOR_SPEED))
    return NULL_TREE;
  if (!count.with_end) to = fold_build2(MINUS_EXPR, i64, to, build_one_cst(i64));
  tree none = fold_build2(LT_EXPR, boolean_type_node, to, build_zero_cst(i64));
  tree root = fold_build1(FLOAT_EXPR, double_type_node,
                          fold_build2(MAX_EXPR, i64, to, build_zero_cst(i64)));
  root = fold_build1(FIX_TRUNC_EXPR, i64, square_root(root));
  if (TREE_CODE(from) != INTEGER_CST || tree_int_cst_sgn(from) < 0) {
    // The square of a negative number may be too large at once.
    const tree beyond =
        fold_build2(LT_EXPR, boolean_type_node, from, fold_build1(NEGATE_EXPR, i64, root));
    none = fold_build2(TRUTH_ORIF_EXPR, boolean_type_node, none, beyond);
  }
  count_of_loop plain;
  plain.up = true;
  plain.with_end = true;
  return fold_build3(COND_EXPR, whole(), none, number(0), say_by_steps(plain, from, root, step));
}

// Of one that doubles or is halved: one more than the logarithm of what its ends are to each other.
tree say_by_bits(const count_of_loop& count, tree from, tree to) {
  const tree i64 = long_long_integer_type_node;
  const tree one = build_one_cst(i64);
  if (!count.with_end) to = fold_build2(count.up ? MINUS_EXPR : PLUS_EXPR, i64, to, one);
  tree more = count.up ? to : from;
  tree less = fold_build2(MAX_EXPR, i64, count.up ? from : to, one);
  const tree none = fold_build2(LT_EXPR, boolean_type_node, more, less);
  tree times = fold_build2(TRUNC_DIV_EXPR, i64, more, less);
  times = fold_build2(BIT_IOR_EXPR, whole(), fold_convert(whole(), times), number(1));
  tree bits = build_call_expr(builtin_decl_explicit(BUILT_IN_CLZLL), 1, times);
  bits = fold_build2(MINUS_EXPR, whole(), number(63), fold_convert(whole(), bits));
  if (count.bits > 1) bits = fold_build2(TRUNC_DIV_EXPR, whole(), bits, number(count.bits));
  bits = fold_build2(PLUS_EXPR, whole(), bits, number(1));
  return fold_build3(COND_EXPR, whole(), none, number(0), bits);
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

}  // namespace

unsigned HOST_WIDE_INT count_of_loop::constant() const {
  if (latch_runs == NULL_TREE || !tree_fits_uhwi_p(latch_runs)) return 0;
  return tree_to_uhwi(latch_runs) + (once_more ? 1 : 0);
}

count_of_loop count_before(class loop* l, edge leaves) {
  count_of_loop found;
  found.once_more = leaves_at_end(l, leaves);
  found.latch_runs = latch_runs_before(l, leaves);
  if (found.latch_runs != NULL_TREE || found.once_more) return found;
  return count_by_condition(l, leaves);
}

tree say(slice& values, const count_of_loop& count) {
  if (!count.is_known()) return values.refuse(not_counted);
  if (count.latch_runs != NULL_TREE) {
    tree said = values.of(count.latch_runs);
    if (said == NULL_TREE) return said;
    said = fold_convert(whole(), said);
    return count.once_more ? fold_build2(PLUS_EXPR, whole(), said, number(1)) : said;
  }
  const tree from = values.of(count.from);
  const tree to = from == NULL_TREE ? from : values.of(count.to);
  if (to == NULL_TREE) return to;
  if (count.bits != 0) return say_by_bits(count, signed_whole(from), signed_whole(to));
  const tree step = values.of(count.step);
  if (step == NULL_TREE) return step;
  if (count.square) {
    const tree said = say_by_squares(count, signed_whole(from), signed_whole(to), step);
    return said == NULL_TREE ? values.refuse(not_counted) : said;
  }
  return say_by_steps(count, from, to, step);
}

tree rounds_of(slice& values, class loop* l, bool& at_most) {
  const std::vector<edge> exits = exits_of(l);
  if (exits.empty()) return values.refuse(not_counted);
  if (exits.size() == 1) return say(values, count_before(l, exits[0]));
  tree least = NULL_TREE;
  for (const edge leaves : exits) {
    if (!dominated_by_p(CDI_DOMINATORS, l->latch, leaves->src)) continue;
    const tree rounds = say(values, count_before(l, leaves));
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
