// SPDX-License-Identifier: GPL-3.0-or-later
// Walks through an iteration and adds up what it costs.
//
// A condition costs as much as the larger of its branches (COWS). Where only one of them has a loop
// the work is guarded, and nothing is said of it: its bounds may be loaded only under the
// condition. For grains both branches count half (LBS, section 3.2). A loop inside whose rounds all
// cost the same is a product. Else the function sums up over its rounds: that takes the time of the
// loops around the innermost one, not of that. So it takes no longer than the iteration does, since
// it sums up only what the iteration runs: a loop that each round of those around it reaches, and
// that runs all of its rounds, for it can be left at one place alone; and none where the program or
// the dealt loop may end in an iteration, for costs are asked for before, also of iterations that
// then are not run. A call of a function whose
// body is in the file costs what that does (calls.cpp). A call of another one has a price, and may
// end the program: then the cost is said if it varies with what surrounds the call, and loads it
// what it does before that.
#include "work.hpp"

#include "calls.hpp"
#include "dominance.h"
#include "fold-const.h"
#include "function.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "made_function.hpp"
#include "rounds.hpp"
#include "ssa.h"
#include "stringpool.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "tree-iterator.h"
#include "tree-ssa-loop.h"

#include "tree-scalar-evolution.h"
#include "tree-ssa-loop-niter.h"

#include <algorithm>
#include <map>
#include <utility>

namespace doall::plugin {
namespace {

// The branches of a condition, or a stretch of the iteration, in two readings.
struct stretch {
  tree cycles = number(0);
  unsigned HOST_WIDE_INT twice_mean = 0;
  bool has_loop = false;
};

// How the function's expression is built up.
struct builder {
  const dealt_loop& loop;
  tree function;
  slice values;
  work& made;
  const bool ends_late;  // the program runs all iterations, and each to its end
  // The stretches of the round that is walked through, by where they begin and end: branches meet,
  // and what follows is asked for again by each.
  std::map<std::pair<basic_block, basic_block>, stretch> known;
};

// Larger expressions are not made: each branch has its own copy of what follows.
constexpr int most_nodes = 4000;

bool is_too_large(tree expression) {
  int nodes = 0;
  const auto count = [](tree* at, int*, void* data) {
    return ++*static_cast<int*>(data) > most_nodes ? *at : NULL_TREE;
  };
  return walk_tree(&expression, count, &nodes, nullptr) != NULL_TREE;
}

// Where the program may end within an iteration, for all that is known: at calls of which nothing
// is.
std::vector<place> ends_of_program(const class loop* l) {
  std::vector<place> found;
  basic_block* const blocks = get_loop_body(l);
  for (unsigned i = 0; i < l->num_nodes; ++i) {
    for (gimple_stmt_iterator at = gsi_start_bb(blocks[i]); !gsi_end_p(at); gsi_next(&at)) {
      const gimple* s = gsi_stmt(at);
      const bool unknown = is_gimple_call(s) && may_not_return(s) && callee_of(s) == nullptr;
      if (unknown || gimple_code(s) == GIMPLE_ASM) found.push_back({blocks[i], s});
    }
  }
  free(blocks);
  return found;
}

// Where an iteration may be left before its end: the program ends there, or the loop is cancelled.
void add_early_ends(const class loop* l, std::vector<place>& ends) {
  for (const edge leaves : early_exits_of(l)) ends.push_back({leaves->src, nullptr});
}

// Where all ways out of the loop meet; null: nowhere within the function.
basic_block after(const class loop* l) {
  basic_block block = l->header;
  while (block != nullptr && flow_bb_inside_loop_p(l, block))
    block = get_immediate_dominator(CDI_POST_DOMINATORS, block);
  return block;
}

bool depends_on(tree expression, tree variable) {
  const auto is_it = [](tree* at, int*, void* data) {
    return *at == static_cast<tree>(data) ? *at : NULL_TREE;
  };
  return walk_tree_without_duplicates(&expression, is_it, variable) != NULL_TREE;
}

tree add(tree a, tree b) { return fold_build2(PLUS_EXPR, whole(), a, b); }

tree new_variable(builder& of, const char* name) {
  of.made.variables.push_back(plugin::new_variable(of.function, name, whole()));
  return of.made.variables.back();
}

tree assign(tree to, tree value) { return build2(MODIFY_EXPR, void_type_node, to, value); }

// The sum of `each` over the rounds, as statements and the variable that then has it.
tree sum_over(builder& of, tree round, tree rounds, tree each) {
  const tree total = new_variable(of, "total");
  const tree end = new_variable(of, "rounds");
  tree steps = NULL_TREE;
  append_to_statement_list(
      build1(EXIT_EXPR, void_type_node, build2(GE_EXPR, boolean_type_node, round, end)), &steps);
  append_to_statement_list(assign(total, build2(PLUS_EXPR, whole(), total, each)), &steps);
  append_to_statement_list(assign(round, build2(PLUS_EXPR, whole(), round, number(1))), &steps);
  tree all = NULL_TREE;
  append_to_statement_list(assign(total, number(0)), &all);
  append_to_statement_list(assign(round, number(0)), &all);
  append_to_statement_list(assign(end, rounds), &all);
  append_to_statement_list(build1(LOOP_EXPR, void_type_node, steps), &all);
  of.made.sums.push_back({total, round, rounds, each});
  return build2(COMPOUND_EXPR, whole(), all, total);
}

stretch round_of(builder& of, class loop* l);

tree runs(tree rounds) { return fold_build2(NE_EXPR, boolean_type_node, rounds, number(0)); }

// Whether each round of the loop around it, or each iteration, reaches the loop.
bool is_always_reached(const class loop* l) {
  return !asked.respects_guards || dominated_by_p(CDI_DOMINATORS, loop_outer(l)->latch, l->header);
}

// The loop l, from its beginning to its end; null cycles: not known.
stretch loop_of(builder& of, class loop* l) {
  stretch found;
  found.has_loop = true;
  found.cycles = NULL_TREE;
  of.values.forget_stale();
  bool at_most = false;
  const tree rounds = rounds_of(of.values, l, at_most);
  if (rounds == NULL_TREE) return found;
  if (at_most) of.made.at_most = true;
  // Whether the program runs just those rounds.
  const bool exact = !at_most && !of.values.is_stale() && has_one_exit(l) && of.ends_late;
  const std::size_t variables = of.made.variables.size();
  const std::size_t sums = of.made.sums.size();
  stretch round = round_of(of, l);
  if (round.cycles != NULL_TREE) {
    const bool has_sum = of.made.sums.size() > sums;
    if (has_sum && !exact) return found;
    found.cycles = fold_build2(MULT_EXPR, whole(), rounds, round.cycles);
    // Without rounds nothing of a round may be summed up.
    if (has_sum)
      found.cycles = fold_build3(COND_EXPR, whole(), runs(rounds), found.cycles, number(0));
    return found;
  }
  // A sum takes time, and may load what only those rounds load that the program runs.
  if (of.made.guard != nullptr || !exact || !is_always_reached(l)) return found;
  of.values.forget_refusal();
  of.made.variables.resize(variables);
  of.made.sums.resize(sums);
  const tree number_of_round = new_variable(of, "round");
  of.values.number(l, number_of_round);
  round = round_of(of, l);
  of.values.number_no_more(l);
  if (round.cycles == NULL_TREE) return found;
  found.cycles = sum_over(of, number_of_round, rounds, round.cycles);
  return found;
}

stretch path_of(builder& of, class loop* l, basic_block block, basic_block end);

stretch walk_path(builder& of, class loop* l, basic_block block, basic_block end);

// What the loops of a called function cost whose counts depend on what it is given; null: it cannot
// be said.
tree loops_of_call(builder& of, const gimple* call, const callee& called) {
  tree sum = number(0);
  of.values.enter(call, called);
  for (const callee::part& part : called.parts) {
    tree cycles = number(part.cycles);
    for (const count_of_loop& count : part.counts) {
      const tree rounds = say(of.values, count);
      if (rounds == NULL_TREE) {
        cycles = NULL_TREE;
        break;
      }
      cycles = fold_build2(MULT_EXPR, whole(), cycles, rounds);
    }
    if (cycles == NULL_TREE) {
      sum = cycles;
      break;
    }
    sum = add(sum, cycles);
  }
  of.values.leave();
  return sum;
}

// The dearest of the ways from the exits of a loop inside l to where they meet.
stretch ways_out(builder& of, class loop* l, const class loop* inner, basic_block met) {
  stretch most;
  for (const edge leaves : exits_of(inner)) {
    if (leaves->dest == met || !flow_bb_inside_loop_p(l, leaves->dest)) continue;
    const stretch one = path_of(of, l, leaves->dest, met);
    most.has_loop = most.has_loop || one.has_loop;
    if (one.cycles == NULL_TREE) return one;
    most.cycles = fold_build2(MAX_EXPR, whole(), most.cycles, one.cycles);
  }
  return most;
}

// From the block to `end`, or to the end of the round of l.
stretch path_of(builder& of, class loop* l, basic_block block, basic_block end) {
  const auto found = of.known.find({block, end});
  if (found != of.known.end()) return found->second;
  stretch sum = walk_path(of, l, block, end);
  if (sum.cycles != NULL_TREE && is_too_large(sum.cycles)) {
    of.values.refuse("the expression is too long");
    sum.cycles = NULL_TREE;
  }
  of.known[{block, end}] = sum;
  return sum;
}

stretch walk_path(builder& of, class loop* l, basic_block block, basic_block end) {
  stretch sum;
  while (block != nullptr && block != end && flow_bb_inside_loop_p(l, block)) {
    if (block->loop_father != l) {  // a loop inside begins
      class loop* inner = block->loop_father;
      while (loop_outer(inner) != l) inner = loop_outer(inner);
      const stretch found = loop_of(of, inner);
      sum.has_loop = true;
      if (found.cycles == NULL_TREE) {
        sum.cycles = NULL_TREE;
        return sum;
      }
      sum.cycles = add(sum.cycles, found.cycles);
      const basic_block met = after(inner);
      const stretch out = ways_out(of, l, inner, met);
      if (out.cycles == NULL_TREE) {
        sum.cycles = NULL_TREE;
        return sum;
      }
      sum.cycles = add(sum.cycles, out.cycles);
      block = met;
      continue;
    }
    unsigned HOST_WIDE_INT own = 0;
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      const gimple* s = gsi_stmt(at);
      const callee* called = is_gimple_call(s) ? callee_of(s) : nullptr;
      own += called != nullptr ? called->cycles : asked.price.of(s);
      if (called == nullptr) continue;
      if (called->uncertain) of.made.uncertain = true;
      if (called->parts.empty()) continue;
      sum.has_loop = true;
      const tree loops = loops_of_call(of, s, *called);
      if (loops == NULL_TREE) {
        sum.cycles = NULL_TREE;
        return sum;
      }
      sum.cycles = add(sum.cycles, loops);
    }
    sum.cycles = add(sum.cycles, number(own));
    sum.twice_mean += 2 * own;
    const basic_block joined = get_immediate_dominator(CDI_POST_DOMINATORS, block);
    basic_block only = nullptr;
    unsigned ways = 0;
    tree most = NULL_TREE;
    unsigned HOST_WIDE_INT twice_means = 0;
    unsigned with_loops = 0;
    edge out;
    edge_iterator each;
    FOR_EACH_EDGE(out, each, block->succs) {
      if (out->dest == l->header || !flow_bb_inside_loop_p(l, out->dest)) continue;
      only = out->dest;
      ++ways;
    }
    if (ways <= 1) {
      block = only;
      continue;
    }
    bool known = true;
    FOR_EACH_EDGE(out, each, block->succs) {
      if (out->dest == l->header || !flow_bb_inside_loop_p(l, out->dest)) continue;
      const stretch one = path_of(of, l, out->dest, joined);
      twice_means += one.twice_mean;
      if (one.has_loop) ++with_loops;
      if (one.cycles == NULL_TREE)
        known = false;
      else
        most = most == NULL_TREE ? one.cycles : fold_build2(MAX_EXPR, whole(), most, one.cycles);
    }
    if (with_loops > 0) sum.has_loop = true;
    if (with_loops > 0 && (!known || (asked.respects_guards && with_loops < ways))) {
      of.made.guard = "a loop in it stands under a condition";
      known = false;
    }
    if (!known) {
      sum.cycles = NULL_TREE;
      return sum;
    }
    sum.cycles = add(sum.cycles, most);
    sum.twice_mean += twice_means / ways;
    block = joined;
  }
  return sum;
}

stretch round_of(builder& of, class loop* l) {
  // Values, and so stretches, differ with the loops around whose rounds have numbers.
  auto around = std::exchange(of.known, {});
  stretch sum = path_of(of, l, l->header, nullptr);
  of.known = std::move(around);
  if (sum.cycles != NULL_TREE) sum.cycles = add(sum.cycles, number(asked.price.round));
  return sum;
}

}  // namespace

work work_of(const dealt_loop& loop, tree function, tree context, tree k) {
  constexpr const char* calls = "it calls functions, or may end early";
  work made;
  std::vector<place> ends = ends_of_program(loop.iterations);
  const bool odd = !ends.empty();
  add_early_ends(loop.iterations, ends);
  builder of{loop, function,     slice(loop, function, context, k, made.captures),
             made, ends.empty(), {}};
  of.values.may_end_at(ends);
  const stretch all = round_of(of, loop.iterations);
  if (all.cycles == NULL_TREE) {
    if (odd) made.guard = nullptr;  // that not all work is under the condition
    made.why = made.guard != nullptr ? made.guard : odd ? calls : of.values.why();
    return made;
  }
  made.guard = nullptr;
  made.varies = depends_on(all.cycles, k);
  if (!made.varies && (odd || made.uncertain)) {
    made.why = odd ? calls : "a function that it calls has a loop whose count is not known";
    return made;
  }
  made.uncertain = made.uncertain || odd;
  made.cycles = all.cycles;
  made.mean = all.has_loop ? 0 : std::max<unsigned HOST_WIDE_INT>(1, all.twice_mean / 2);
  return made;
}

}  // namespace doall::plugin
