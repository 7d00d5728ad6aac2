// SPDX-License-Identifier: GPL-3.0-or-later
// Makes loops steerable: those without a schedule clause, or with `auto`.
//
// Runs before GCC lowers OpenMP, where the front ends of C, C++ and Fortran have left the same
// statements. A loop that is steered gets the clause schedule(dynamic, MARK + its number). So GCC
// makes of it a loop that asks the runtime for its ranges, and hand_over.cpp then replaces what it
// asks.
//
// A loop whose clause names a schedule of doall's comes as schedule(dynamic, first_name + which),
// from the driver, and is marked alike; if it cannot be steered, that is an error.
//
// A loop that is not known to be one of the usual kind is left as it is, and the reason noted.
#include "plugin.hpp"

#include "context.h"
#include "diagnostic-core.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "nowait.hpp"
#include "omp-general.h"
#include "stringpool.h"

#include "attribs.h"
#include "tree-pass.h"

#include <utility>

namespace doall::plugin {
namespace {

const char* why_clause_forbids(tree c) {
  switch (OMP_CLAUSE_CODE(c)) {
    case OMP_CLAUSE_ORDERED: return "it is ordered";
    // GCC calls no runtime from inside of either, and makes such loops static again.
    case OMP_CLAUSE_ORDER: return "its order is concurrent";
    case OMP_CLAUSE_BIND: return "it is a loop construct";
    case OMP_CLAUSE__REDUCTEMP_:
    case OMP_CLAUSE__CONDTEMP_:
    case OMP_CLAUSE__SCANTEMP_: return "GCC has begun to lower it";
    case OMP_CLAUSE_REDUCTION:
      if (OMP_CLAUSE_REDUCTION_INSCAN(c)) return "it has an inscan reduction";
      if (OMP_CLAUSE_REDUCTION_TASK(c)) return "it has a task reduction";
      return nullptr;
    case OMP_CLAUSE_LASTPRIVATE:
      return OMP_CLAUSE_LASTPRIVATE_CONDITIONAL(c) ? "it has a conditional lastprivate" : nullptr;
    default: return nullptr;
  }
}

// Whether the loop counts down. GCC has made each condition one of order, but for `!=`.
bool counts_downwards(gomp_for* loop) {
  switch (gimple_omp_for_cond(loop, 0)) {
    case GT_EXPR:
    case GE_EXPR: return true;
    case NE_EXPR: break;
    default: return false;
  }
  const tree step = omp_get_for_step_from_incr(gimple_location(loop), gimple_omp_for_incr(loop, 0));
  return TREE_CODE(step) == INTEGER_CST &&
         tree_int_cst_equal(step, build_minus_one_cst(TREE_TYPE(step)));
}

// Whether it does so in a type without a sign. Collapsed loops have a counter of their own, which
// counts up.
bool counts_down_unsigned(gomp_for* loop) {
  return gimple_omp_for_collapse(loop) == 1 &&
         TYPE_UNSIGNED(TREE_TYPE(gimple_omp_for_index(loop, 0))) && counts_downwards(loop);
}

// GCC converts the step of a loop that it deals dynamically to `long` from the loop's own type. In
// an unsigned one -1 is a large number, and the loop then runs no iteration (GCC 12 to 14, at
// least). hand_over.cpp gives such a step its sign.
unsigned narrow_down_of(gomp_for* loop) {
  const tree type = TREE_TYPE(gimple_omp_for_index(loop, 0));
  const bool narrow = INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) < HOST_BITS_PER_WIDE_INT;
  return narrow && counts_down_unsigned(loop) ? TYPE_PRECISION(type) : 0;
}

// Which way a loop of one unsigned counter of 64 bits goes: 1 is up, -1 down; 0: it is no such
// loop. GCC deals it dynamically by `long` if a constant end fits there, though the other one may
// not: one in the upper half of the type then looks negative. hand_over.cpp gives such a loop no
// iteration.
int wide_unsigned_of(gomp_for* loop) {
  const tree type = TREE_TYPE(gimple_omp_for_index(loop, 0));
  if (gimple_omp_for_collapse(loop) != 1 || !INTEGRAL_TYPE_P(type) || !TYPE_UNSIGNED(type) ||
      TYPE_PRECISION(type) != HOST_BITS_PER_WIDE_INT)
    return 0;
  return counts_downwards(loop) ? -1 : 1;
}

// Whether GCC would count in `long` to a constant beyond that: it compares the next multiple of the
// step, which may have wrapped around.
bool ends_beyond_long(gomp_for* loop) {
  const tree end = gimple_omp_for_final(loop, 0);
  const tree step = omp_get_for_step_from_incr(gimple_location(loop), gimple_omp_for_incr(loop, 0));
  if (wide_unsigned_of(loop) != 1 || TREE_CODE(end) != INTEGER_CST ||
      TREE_CODE(step) != INTEGER_CST)
    return false;
  wide_int least = wi::to_wide(end);
  if (gimple_omp_for_cond(loop, 0) == LE_EXPR) least = least + 1;
  return wi::neg_p(least, SIGNED) && !wi::neg_p(least + wi::to_wide(step), SIGNED);
}

// Why the loop must stay as it is, whatever its schedule; null: it need not.
const char* why_left(gomp_for* loop) {
  if (TYPE_PRECISION(long_integer_type_node) != HOST_BITS_PER_WIDE_INT)
    return "the type long has fewer than 64 bits";
  if (gimple_omp_for_combined_into_p(loop)) return "it is part of a distribute construct";
  for (size_t i = 0; i < gimple_omp_for_collapse(loop); ++i) {
    if (TYPE_PRECISION(TREE_TYPE(gimple_omp_for_index(loop, i))) > HOST_BITS_PER_WIDE_INT)
      return "it counts in a type that is wider than the runtime's numbers";
    // GCC 12 fails inside when such a nest is dynamic.
    if (gimple_omp_for_collapse(loop) > 1 && gimple_omp_for_cond(loop, i) == GT_EXPR &&
        TYPE_UNSIGNED(TREE_TYPE(gimple_omp_for_index(loop, i))) &&
        TREE_CODE(gimple_omp_for_initial(loop, i)) == INTEGER_CST &&
        integer_zerop(gimple_omp_for_initial(loop, i)))
      return "a loop of its nest never runs";
    // OpenMP allows such a nest no schedule clause, and GCC would fail inside.
    if (TREE_CODE(gimple_omp_for_initial(loop, i)) == TREE_VEC ||
        TREE_CODE(gimple_omp_for_final(loop, i)) == TREE_VEC)
      return "its nest is not rectangular";
  }
  if (ends_beyond_long(loop)) return "GCC would count in long, where it does not end";
  for (tree c = gimple_omp_for_clauses(loop); c != NULL_TREE; c = OMP_CLAUSE_CHAIN(c)) {
    if (const char* why = why_clause_forbids(c)) return why;
    // GCC divides by the step to know a variable's value where a range begins: without a sign.
    if (OMP_CLAUSE_CODE(c) == OMP_CLAUSE_LINEAR && counts_down_unsigned(loop))
      return "it has a linear variable, and counts down in a type without a sign";
  }
  return loops.size() < most_loops ? nullptr : "the file has too many loops";
}

// The schedule of doall's that the clause names; null: it names none.
const char* own_schedule_name(tree schedule) {
  if (schedule == NULL_TREE || (OMP_CLAUSE_SCHEDULE_KIND(schedule) & OMP_CLAUSE_SCHEDULE_MASK) !=
                                   OMP_CLAUSE_SCHEDULE_DYNAMIC)
    return nullptr;
  const tree chunk = OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(schedule);
  if (chunk == NULL_TREE || !tree_fits_uhwi_p(chunk)) return nullptr;
  const unsigned HOST_WIDE_INT which = tree_to_uhwi(chunk) - first_name;
  return which < asked.names.size() ? asked.names[which].c_str() : nullptr;
}

const char* schedule_name(tree schedule) {
  if (const char* own = own_schedule_name(schedule)) return own;
  if (schedule == NULL_TREE) return "none";
  switch (OMP_CLAUSE_SCHEDULE_KIND(schedule) & OMP_CLAUSE_SCHEDULE_MASK) {
    case OMP_CLAUSE_SCHEDULE_STATIC: return "static";
    case OMP_CLAUSE_SCHEDULE_DYNAMIC: return "dynamic";
    case OMP_CLAUSE_SCHEDULE_GUIDED: return "guided";
    case OMP_CLAUSE_SCHEDULE_AUTO: return "auto";
    case OMP_CLAUSE_SCHEDULE_RUNTIME: return "runtime";
    default: return "other";
  }
}

// Why the clause's schedule cannot be handed over with the loop, or null, and what it is.
const char* read_dealing(tree given, loop_facts& facts) {
  if (given == NULL_TREE || own_schedule_name(given) != nullptr) return nullptr;
  const auto kind = static_cast<unsigned>(OMP_CLAUSE_SCHEDULE_KIND(given));
  switch (kind & OMP_CLAUSE_SCHEDULE_MASK) {
    case OMP_CLAUSE_SCHEDULE_RUNTIME:
      if (kind != OMP_CLAUSE_SCHEDULE_RUNTIME) return "the runtime deals it already";
      facts.dealing = by_runtime;
      return nullptr;
    case OMP_CLAUSE_SCHEDULE_DYNAMIC: facts.dealing = as_dynamic; break;
    case OMP_CLAUSE_SCHEDULE_GUIDED: facts.dealing = as_guided; break;
    default: return nullptr;
  }
  if ((kind & OMP_CLAUSE_SCHEDULE_MONOTONIC) != 0) facts.dealing |= in_order;
  const tree chunk = OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(given);
  facts.chunk = 1;
  if (chunk == NULL_TREE) return nullptr;
  if (TREE_CODE(chunk) != INTEGER_CST || !tree_fits_shwi_p(chunk) || tree_int_cst_sgn(chunk) <= 0)
    return "its chunk size is no constant";
  facts.chunk = tree_to_uhwi(chunk);
  return nullptr;
}

// Why the loop's schedule clause must stay as it is; null: it need not.
// `pairs`: another loop relies on its blocks, perhaps one in another function. The runtime begins
// it then, to know that it was there.
const char* why_schedule_stays(tree given, bool pairs) {
  if (given == NULL_TREE || own_schedule_name(given) != nullptr) return nullptr;
  if (OMP_CLAUSE_SCHEDULE_SIMD(given)) return "its schedule has the modifier simd";
  switch (OMP_CLAUSE_SCHEDULE_KIND(given) & OMP_CLAUSE_SCHEDULE_MASK) {
    case OMP_CLAUSE_SCHEDULE_AUTO: return nullptr;
    case OMP_CLAUSE_SCHEDULE_STATIC:
      if (OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(given) != NULL_TREE)
        return "its static chunks have a size";
      return asked.steers_static || pairs ? nullptr
                                          : "schedule(static) is kept without -fdoall-static";
    case OMP_CLAUSE_SCHEDULE_RUNTIME:
    case OMP_CLAUSE_SCHEDULE_DYNAMIC:
    case OMP_CLAUSE_SCHEDULE_GUIDED:
      return asked.costs_runtime ? nullptr : "the runtime deals it already";
    default: return "its schedule is not known";
  }
}

tree find_schedule(gomp_for* loop) {
  return omp_find_clause(gimple_omp_for_clauses(loop), OMP_CLAUSE_SCHEDULE);
}

void mark(gomp_for* loop, unsigned number) {
  tree given = find_schedule(loop);
  if (given == NULL_TREE) {
    given = build_omp_clause(gimple_location(loop), OMP_CLAUSE_SCHEDULE);
    OMP_CLAUSE_CHAIN(given) = gimple_omp_for_clauses(loop);
    gimple_omp_for_set_clauses(loop, given);
    OMP_CLAUSE_SCHEDULE_SIMD(given) = 0;
  }
  OMP_CLAUSE_SCHEDULE_KIND(given) = OMP_CLAUSE_SCHEDULE_DYNAMIC;
  OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(given) =
      build_int_cst(long_integer_type_node, static_cast<HOST_WIDE_INT>(mark_of(number)));
}

// GCC begins a region and its only loop in one call, before any thread of the team is there. A
// statement between the two keeps them apart: the loop is begun by its threads.
void keep_apart(gimple_stmt_iterator* at, gimple* parallel) {
  gasm* between = gimple_build_asm_vec(apart_mark, nullptr, nullptr, nullptr, nullptr);
  gimple_asm_set_volatile(between, true);
  gsi_insert_before(at, between, GSI_SAME_STMT);
  if (parallel == nullptr) return;
  gomp_parallel* around = as_a<gomp_parallel*>(parallel);
  if (gimple_omp_parallel_combined_p(around)) gimple_omp_parallel_set_combined_p(around, false);
}

// The loops of the function that keep static's blocks, as far as its regions have been met.
std::set<gomp_for*> paired;

// Whether the function has a static loop with `nowait`.
bool looks_for_pairs = false;

const char* why_keeps(gomp_for* loop) {
  if (paired.count(loop) == 0) return nullptr;
  return omp_find_clause(gimple_omp_for_clauses(loop), OMP_CLAUSE_NOWAIT) != NULL_TREE
             ? "it ends with nowait, and a loop before the next barrier may rely on its threads"
             : "a loop that ends with nowait comes before it, on whose threads it may rely";
}

void note(const loop_facts& loop) {
  if (is_wrong_name(loop.name)) return;  // wrong_names.cpp says so
  if (loop.name != nullptr && loop.left != nullptr) {
    error_at(loop.place, "%<schedule(%s)%> cannot be had for this loop: %s", loop.name, loop.left);
    return;
  }
  if (!asked.warns) return;
  if (loop.left != nullptr)
    inform(loop.place, "%<doall%> does not steer this loop: %s", loop.left);
  else if (loop.keeps != nullptr)
    inform(loop.place, "%<doall%> does not steer this loop without %<-fdoall-nowait%>: %s",
           loop.keeps);
}

// The innermost parallel construct around the statement; null inside of a task, too.
gimple* innermost = nullptr;

// Whether the code may be compiled for a device.
bool on_device = false;

void meet(gimple_stmt_iterator* at) {
  gomp_for* loop = as_a<gomp_for*>(gsi_stmt(*at));
  if (gimple_omp_for_kind(loop) != GF_OMP_FOR_KIND_FOR) return;  // simd, taskloop, distribute, ...
  if (on_device && own_schedule_name(find_schedule(loop)) == nullptr) return;
  loop_facts facts;
  facts.place = gimple_location(loop);
  const expanded_location at_place = expand_location(facts.place);
  if (at_place.file != nullptr) facts.file = at_place.file;
  facts.line = at_place.line;
  const tree given = find_schedule(loop);
  facts.was = schedule_name(given);
  facts.name = own_schedule_name(given);
  facts.left = on_device ? "it may be compiled for a device" : why_left(loop);
  const bool pairs = paired.count(loop) != 0;
  if (facts.left == nullptr) facts.left = why_schedule_stays(given, pairs);
  if (facts.left == nullptr) facts.left = read_dealing(given, facts);
  facts.narrow_down = narrow_down_of(loop);
  facts.wide_unsigned = wide_unsigned_of(loop);
  facts.collapsed = gimple_omp_for_collapse(loop) > 1;
  if (facts.left == nullptr) facts.keeps = why_keeps(loop);
  const auto number = static_cast<unsigned>(loops.size());
  loops.push_back(facts);
  note(facts);
  if (facts.left != nullptr) return;
  mark(loop, number);
  keep_apart(at, innermost);
}

tree visit(gimple_stmt_iterator* at, bool* handled, walk_stmt_info*);

void visit_all(gimple_seq* body, gimple* parallel) {
  gimple* const around = innermost;
  innermost = parallel;
  walk_stmt_info walk = {};
  walk_gimple_seq_mod(body, visit, nullptr, &walk);
  innermost = around;
}

tree visit(gimple_stmt_iterator* at, bool* handled, walk_stmt_info*) {
  gimple* s = gsi_stmt(*at);
  *handled = false;
  switch (gimple_code(s)) {
    case GIMPLE_OMP_TARGET: {
      if (gimple_omp_target_kind(s) == GF_OMP_TARGET_KIND_DATA) break;  // the host runs its body
      *handled = true;
      const bool before = std::exchange(on_device, true);
      visit_all(gimple_omp_body_ptr(s), nullptr);
      on_device = before;
      break;
    }
    case GIMPLE_OMP_PARALLEL:
      *handled = true;
      if (looks_for_pairs) find_paired(gimple_omp_body(s), false, paired);
      visit_all(gimple_omp_body_ptr(s), s);
      break;
    case GIMPLE_OMP_TASK:
      *handled = true;
      visit_all(gimple_omp_body_ptr(s), nullptr);
      break;
    case GIMPLE_OMP_FOR: meet(at); break;
    default: break;
  }
  return NULL_TREE;
}

// Whether a copy of the function may be compiled for a device.
bool is_for_devices(tree function) {
  return lookup_attribute("omp declare target", DECL_ATTRIBUTES(function)) != NULL_TREE;
}

constexpr pass_data steering_data = {
    GIMPLE_PASS, "doall_steer", OPTGROUP_OMP, TV_NONE, PROP_gimple_any, 0, 0, 0, 0};

class steering : public gimple_opt_pass {
 public:
  steering() : gimple_opt_pass(steering_data, g) {}
  bool gate(function*) final { return flag_openmp && !in_lto_p && !seen_error(); }
  unsigned execute(function* f) final {
    on_device = is_for_devices(f->decl);
    gimple_seq body = gimple_body(f->decl);
    paired.clear();
    looks_for_pairs = !asked.steers_nowait && has_nowait_loops(body);
    if (looks_for_pairs) find_paired(body, true, paired);
    visit_all(&body, nullptr);
    gimple_set_body(f->decl, body);
    return 0;
  }
};

}  // namespace

void register_steering(const char* plugin) {
  static register_pass_info here = {new steering, "omplower", 1, PASS_POS_INSERT_BEFORE};
  register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &here);
}

}  // namespace doall::plugin
