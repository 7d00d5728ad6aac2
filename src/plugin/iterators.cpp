// SPDX-License-Identifier: GPL-3.0-or-later
// The number of a dealt loop's iteration, and iterators of classes, which GCC moves by it.
#include "slice.hpp"

#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "ssa.h"
#include "tree-ssa-loop.h"

#include <set>

namespace doall::plugin {

bool is_inside(const dealt_loop& loop, const gimple* s) {
  basic_block block = gimple_bb(s);
  return block != nullptr && flow_bb_inside_loop_p(loop.iterations, block);
}

bool loads_first(const dealt_loop& loop, const gimple* s) {
  if (!gimple_assign_load_p(s)) return false;
  const tree place = loop.first();
  return TREE_CODE(place) == ADDR_EXPR && TREE_OPERAND(place, 0) == gimple_assign_rhs1(s);
}

namespace {

// Longer chains are not followed.
constexpr std::size_t most_values = 1000;

bool reaches_first(const dealt_loop& loop, tree value, std::set<tree>& seen) {
  if (TREE_CODE(value) != SSA_NAME || seen.size() > most_values || !seen.insert(value).second)
    return false;
  gimple* s = SSA_NAME_DEF_STMT(value);
  if (!is_gimple_assign(s)) return false;
  if (loads_first(loop, s)) return true;
  if (gimple_assign_single_p(s) && TREE_CODE(gimple_assign_rhs1(s)) != SSA_NAME) return false;
  for (unsigned i = 1; i < gimple_num_ops(s); ++i) {
    if (gimple_op(s, i) != NULL_TREE && reaches_first(loop, gimple_op(s, i), seen)) return true;
  }
  return false;
}

}  // namespace

bool comes_from_first(const dealt_loop& loop, tree value) {
  std::set<tree> seen;
  return reaches_first(loop, value, seen);
}

namespace {

// What the value was in a thread's first iteration, before it was given `now`: the initial value of
// what the header of the iterations has from the iteration before, also from that of another range.
// Null: it is no such value.
tree value_at_first(const dealt_loop& loop, tree last, tree now) {
  const auto same = [](tree value, tree other) {
    for (int steps = 0; steps < 4 && value != other; ++steps) {
      gphi* phi =
          TREE_CODE(value) == SSA_NAME ? dyn_cast<gphi*>(SSA_NAME_DEF_STMT(value)) : nullptr;
      if (phi == nullptr || gimple_phi_num_args(phi) != 1) return false;
      value = gimple_phi_arg_def(phi, 0);
    }
    return value == other;
  };
  for (class loop* l : {loop.iterations, loop.chunk}) {
    gphi* phi = TREE_CODE(last) == SSA_NAME ? dyn_cast<gphi*>(SSA_NAME_DEF_STMT(last)) : nullptr;
    if (phi == nullptr || gimple_bb(phi) != l->header || loop_latch_edge(l) == nullptr ||
        !same(PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(l)), now))
      return NULL_TREE;
    last = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l));
  }
  return last;
}

// Whether it is the number that the iterations count.
bool comes_from_first_by_phi(const dealt_loop& loop, tree value) {
  gphi* phi = TREE_CODE(value) == SSA_NAME ? dyn_cast<gphi*>(SSA_NAME_DEF_STMT(value)) : nullptr;
  return phi != nullptr && gimple_bb(phi) == loop.iterations->header &&
         comes_from_first(loop, PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(loop.iterations)));
}

}  // namespace

// An iterator of a class is moved by how far the number is from the last one that the thread had:
//   it = last_it + (number - last_number) * size
// (OpenMP's loops over random access iterators.) It is as if the iteration were the thread's first.
tree slice::of_iterator(gimple* s) {
  if (!in_.empty() || gimple_bb(s) == nullptr || !is_inside(loop_, s)) return NULL_TREE;
  const tree_code code = gimple_assign_rhs_code(s);
  if (code != POINTER_PLUS_EXPR && code != PLUS_EXPR) return NULL_TREE;
  const tree last = gimple_assign_rhs1(s);
  const tree begin = value_at_first(loop_, last, gimple_assign_lhs(s));
  if (begin == NULL_TREE) return NULL_TREE;
  tree by = gimple_assign_rhs2(s);
  tree size = NULL_TREE;
  while (TREE_CODE(by) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(by))) {
    gimple* d = SSA_NAME_DEF_STMT(by);
    const tree_code how = gimple_assign_rhs_code(d);
    if (how == MINUS_EXPR) {
      const tree now = gimple_assign_rhs1(d);
      const tree from = value_at_first(loop_, gimple_assign_rhs2(d), now);
      if (from == NULL_TREE || !integer_zerop(from) || !comes_from_first_by_phi(loop_, now))
        return NULL_TREE;
      const tree type = TREE_TYPE(gimple_assign_rhs2(s));
      tree moved = of(now);
      const tree at = of(begin);
      if (moved == NULL_TREE || at == NULL_TREE) return NULL_TREE;
      moved = fold_convert(type, moved);
      if (size != NULL_TREE) moved = fold_build2(MULT_EXPR, type, moved, fold_convert(type, size));
      return build2(code, TREE_TYPE(gimple_assign_lhs(s)), at, moved);
    }
    const bool times =
        how == MULT_EXPR && size == NULL_TREE && TREE_CODE(gimple_assign_rhs2(d)) == INTEGER_CST;
    if (times)
      size = gimple_assign_rhs2(d);
    else if (!CONVERT_EXPR_CODE_P(how) && how != SSA_NAME)
      return NULL_TREE;
    by = gimple_assign_rhs1(d);
  }
  return NULL_TREE;
}

}  // namespace doall::plugin
