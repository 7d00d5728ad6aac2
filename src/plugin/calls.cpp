// SPDX-License-Identifier: GPL-3.0-or-later
// Adds up what a function costs: each statement as often as the loops around it run. Both branches
// of a condition count.
#include "calls.hpp"

#include "cgraph.h"
#include "dominance.h"
#include "function.h"
#include "gimple-iterator.h"
#include "slice.hpp"
#include "ssa.h"
#include "tree-cfg.h"

#include "tree-scalar-evolution.h"
#include "tree-ssa-loop-niter.h"

#include <algorithm>
#include <map>

namespace doall::plugin {
namespace {

constexpr int deepest_call = 4;
constexpr unsigned HOST_WIDE_INT dearest = HOST_WIDE_INT_UC(1) << 40;

// By the function's number; null: nothing is known of it.
std::map<unsigned, callee> known;
std::set<unsigned> looked_at;

void look_at(const gimple* call, int depth);

void look_at_calls_of(function* f, int depth) {
  basic_block block;
  FOR_EACH_BB_FN(block, f) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
      if (is_gimple_call(gsi_stmt(at))) look_at(gsi_stmt(at), depth);
  }
}

// Whether the statement keeps the function from being one that returns.
bool is_odd(const gimple* s) {
  if (gimple_code(s) == GIMPLE_ASM) return true;
  return is_gimple_call(s) && may_not_return(s) && callee_of(s) == nullptr;
}

// What the block's statements cost; false: it may not return.
bool add_block(basic_block block, unsigned HOST_WIDE_INT& cycles, callee& found) {
  if (EDGE_COUNT(block->succs) == 0) return false;
  edge out;
  edge_iterator each;
  FOR_EACH_EDGE(out, each, block->succs)
  if ((out->flags & (EDGE_ABNORMAL | EDGE_EH | EDGE_IRREDUCIBLE_LOOP)) != 0) return false;
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
    const gimple* s = gsi_stmt(at);
    if (is_odd(s)) return false;
    if (gimple_store_p(s) || (is_gimple_call(s) && !only_reads(s))) found.leaves_alone = false;
    const callee* deeper = is_gimple_call(s) ? callee_of(s) : nullptr;
    cycles += deeper != nullptr ? deeper->cycles : asked.price.of(s);
    if (deeper != nullptr && (deeper->uncertain || !deeper->parts.empty())) found.uncertain = true;
  }
  return true;
}

// Whether each way from the function's beginning to its end goes through the block.
bool runs_always(function* f, basic_block block) {
  edge ends;
  edge_iterator each;
  FOR_EACH_EDGE(ends, each, EXIT_BLOCK_PTR_FOR_FN(f)->preds)
  if (!dominated_by_p(CDI_DOMINATORS, ends->src, block)) return false;
  return true;
}

// Of a function that is the current one, and whose loops are known.
bool sum_up(function* f, callee& found) {
  std::map<const class loop*, unsigned HOST_WIDE_INT> own;
  basic_block block;
  FOR_EACH_BB_FN(block, f) {
    if (!add_block(block, own[block->loop_father], found)) return false;
    if (runs_always(f, block)) found.always.insert(block);
  }
  for (auto& [l, cycles] : own) {
    callee::part made{cycles, {}};
    if (loop_outer(l) != nullptr) made.cycles += asked.price.round;
    bool said = true;
    for (class loop* around = const_cast<class loop*>(l); loop_outer(around) != nullptr;
         around = loop_outer(around)) {
      if (!finite_loop_p(around)) return false;
      const std::vector<edge> exits = exits_of(around);
      const count_of_loop count =
          exits.size() == 1 ? count_before(around, exits[0]) : count_of_loop{};
      const unsigned HOST_WIDE_INT rounds = count.constant();
      if (rounds != 0)
        made.cycles = std::min(dearest, made.cycles * std::min(dearest >> 20, rounds));
      else if (count.is_known())
        made.counts.push_back(count);
      else
        said = false;
    }
    if (!said) found.uncertain = true;
    if (made.counts.empty() || !said)
      found.cycles = std::min(dearest, found.cycles + made.cycles);
    else
      found.parts.push_back(made);
  }
  return true;
}

void look_at(const gimple* call, int depth) {
  const tree decl = gimple_call_fndecl(call);
  if (decl == NULL_TREE || fndecl_built_in_p(decl) || depth > deepest_call) return;
  cgraph_node* node = cgraph_node::get(decl);
  function* f = DECL_STRUCT_FUNCTION(decl);
  if (node == nullptr || f == nullptr || f->cfg == nullptr || !gimple_in_ssa_p(f) || f == cfun ||
      node->get_availability() < AVAIL_AVAILABLE || !looked_at.insert(DECL_UID(decl)).second)
    return;
  look_at_calls_of(f, depth + 1);
  callee found;
  found.cycles = asked.price.call / 8;
  push_cfun(f);
  loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
  scev_initialize();
  calculate_dominance_info(CDI_DOMINATORS);
  const bool returns = sum_up(f, found);
  scev_finalize();
  loop_optimizer_finalize();
  pop_cfun();
  // It costs more than is known.
  if (found.uncertain) found.cycles += asked.price.call;
  if (returns) known.emplace(DECL_UID(decl), std::move(found));
}

}  // namespace

void look_at_callees(function* f) {
  known.clear();  // functions change from pass to pass
  looked_at.clear();
  look_at_calls_of(f, 0);
}

const callee* callee_of(const gimple* call) {
  const tree decl = is_gimple_call(call) ? gimple_call_fndecl(call) : NULL_TREE;
  if (decl == NULL_TREE) return nullptr;
  const auto found = known.find(DECL_UID(decl));
  return found == known.end() ? nullptr : &found->second;
}

bool may_not_return(const gimple* call) {
  const tree decl = gimple_call_fndecl(call);
  if (gimple_call_internal_p(call) || is_question(call)) return false;
  const int flags = gimple_call_flags(call);
  if ((flags & (ECF_CONST | ECF_PURE)) != 0 && (flags & ECF_LOOPING_CONST_OR_PURE) == 0 &&
      ((flags & ECF_NOTHROW) != 0 || !flag_exceptions))
    return false;
  if (decl == NULL_TREE || !fndecl_built_in_p(decl)) return true;
  // `critical` and `atomic` wait, and go on.
  const char* name = IDENTIFIER_POINTER(DECL_NAME(decl));
  return startswith(name, "__builtin_GOMP") && !startswith(name, "__builtin_GOMP_critical_") &&
         !startswith(name, "__builtin_GOMP_atomic_");
}

}  // namespace doall::plugin
