// SPDX-License-Identifier: GPL-3.0-or-later
// Hands steered loops over to the runtime, once GCC has made calls of them.
//
// GCC has made of a marked loop (steer.cpp)
//     GOMP_loop_nonmonotonic_dynamic_start(begin, end, step, MARK + number, &first, &last)
// and this pass replaces it, and the calls for the next range and the end that belong to it, by
// calls of the object's own entries (entries.hpp):
//     doall.begin(begin, end, step, &first, &last, note, context, cost)
//
// Where that cannot be it becomes
//     GOMP_loop_start(begin, end, step, static, 0, &first, &last, null, null,
//                     MAGIC, note, context, cost, facts)
// (of a loop with schedule(runtime), dynamic or guided: that, with its chunk size).
// GCC's own code never asks a runtime for the ranges of a static loop, so this is free to mean "as
// static, unless it is steered". A runtime that does not know the last five arguments ignores them,
// for in the ABIs of Linux the caller frees what it passes. So the program runs on any libgomp,
// static and right. The calls that ask for the next range then become GOMP_loop_runtime_next, which
// goes on with whatever loop its thread is in, and how the loop ends is not changed.
#include "plugin.hpp"

#include "gimple-iterator.h"

#include "cgraph.h"
#include "context.h"
#include "dominance.h"
#include "entries.hpp"
#include "fold-const.h"
#include "gimple-fold.h"
#include "gimple-pretty-print.h"
#include "made_function.hpp"
#include "ssa.h"
#include "tree-pass.h"

#include "note.hpp"

#include <cstring>
#include <set>

namespace doall::plugin {
namespace {

struct replacement {
  built_in_function old;
  built_in_function by;
  bool begins;  // a loop
  bool ull;     // counts in unsigned long long
};
constexpr replacement replacements[] = {
    {BUILT_IN_GOMP_LOOP_DYNAMIC_START, BUILT_IN_GOMP_LOOP_START, true, false},
    {BUILT_IN_GOMP_LOOP_NONMONOTONIC_DYNAMIC_START, BUILT_IN_GOMP_LOOP_START, true, false},
    {BUILT_IN_GOMP_LOOP_ULL_DYNAMIC_START, BUILT_IN_GOMP_LOOP_ULL_START, true, true},
    {BUILT_IN_GOMP_LOOP_ULL_NONMONOTONIC_DYNAMIC_START, BUILT_IN_GOMP_LOOP_ULL_START, true, true},
    {BUILT_IN_GOMP_LOOP_DYNAMIC_NEXT, BUILT_IN_GOMP_LOOP_RUNTIME_NEXT, false, false},
    {BUILT_IN_GOMP_LOOP_NONMONOTONIC_DYNAMIC_NEXT, BUILT_IN_GOMP_LOOP_RUNTIME_NEXT, false, false},
    {BUILT_IN_GOMP_LOOP_ULL_DYNAMIC_NEXT, BUILT_IN_GOMP_LOOP_ULL_RUNTIME_NEXT, false, true},
    {BUILT_IN_GOMP_LOOP_ULL_NONMONOTONIC_DYNAMIC_NEXT, BUILT_IN_GOMP_LOOP_ULL_RUNTIME_NEXT, false,
     true},
};

const replacement* replacement_of(const gimple* s) {
  if (!is_gimple_call(s)) return nullptr;
  const tree callee = gimple_call_fndecl(s);
  if (callee == NULL_TREE) return nullptr;
  for (const replacement& r : replacements) {
    if (fndecl_built_in_p(callee, r.old)) return &r;
  }
  return nullptr;
}

// The marked loop that the call begins; null: not a marked one.
loop_facts* loop_begun(const gcall* call, const replacement& r) {
  const tree chunk = gimple_call_arg(call, r.ull ? 4 : 3);
  if (TREE_CODE(chunk) != INTEGER_CST || !cst_and_fits_in_hwi(chunk)) return nullptr;
  const auto value = static_cast<unsigned HOST_WIDE_INT>(int_cst_value(chunk));
  const unsigned HOST_WIDE_INT number = (value - loop_mark) >> number_shift;
  if (number >= loops.size() || value != mark_of(number)) return nullptr;
  return &loops[number];
}

// The calls of one loop besides that which begins it.
struct calls_of_loop {
  std::vector<gcall*> nexts;
  std::vector<gcall*> ends;
};

bool calls(const gimple* s, built_in_function which) {
  return is_gimple_call(s) && gimple_call_fndecl(s) != NULL_TREE &&
         fndecl_built_in_p(gimple_call_fndecl(s), which);
}

// All that may be reached from the beginning before the loop's end. False: not each call that is
// met is surely this loop's, or the loop may be cancelled, when its end says more.
bool find_calls(const gcall* begin, calls_of_loop& found) {
  std::vector<basic_block> open;
  std::set<basic_block> seen;
  const auto go_on = [&](basic_block block) {
    edge out;
    edge_iterator each;
    FOR_EACH_EDGE(out, each, block->succs) {
      if (seen.insert(out->dest).second) open.push_back(out->dest);
    }
  };
  go_on(gimple_bb(begin));
  while (!open.empty()) {
    const basic_block block = open.back();
    open.pop_back();
    if (!dominated_by_p(CDI_DOMINATORS, block, gimple_bb(begin))) return false;
    bool ended = false;
    for (gimple_stmt_iterator at = gsi_start_bb(block); !ended && !gsi_end_p(at); gsi_next(&at)) {
      gimple* s = gsi_stmt(at);
      if (calls(s, BUILT_IN_GOMP_LOOP_END_CANCEL)) return false;
      if (const replacement* r = replacement_of(s)) {
        if (r->begins) return false;
        found.nexts.push_back(as_a<gcall*>(s));
      }
      ended = calls(s, BUILT_IN_GOMP_LOOP_END) || calls(s, BUILT_IN_GOMP_LOOP_END_NOWAIT);
      if (ended) found.ends.push_back(as_a<gcall*>(s));
    }
    if (!ended) go_on(block);
  }
  return !found.ends.empty();
}

tree end_entry(const entries& of, const gcall* end) {
  return calls(end, BUILT_IN_GOMP_LOOP_END) ? of.end : of.end_nowait;
}

// The loop's step as the call has it, with its sign (steer.cpp, narrow_down_of).
tree step_of(gimple_stmt_iterator* at, unsigned argument, const loop_facts& loop) {
  const tree step = gimple_call_arg(gsi_stmt(*at), argument);
  if (loop.narrow_down == 0) return step;
  const tree type = TREE_TYPE(step);
  const wide_int sign = wi::mask(loop.narrow_down, true, TYPE_PRECISION(type));
  const tree bits = wide_int_to_tree(type, sign);
  if (TREE_CODE(step) == INTEGER_CST) return fold_build2(BIT_IOR_EXPR, type, step, bits);
  gimple_seq before = nullptr;
  const tree all = gimple_build(&before, BIT_IOR_EXPR, type, step, bits);
  gsi_insert_seq_before(at, before, GSI_SAME_STMT);
  return all;
}

// Where the loop begins or ends, as the call has it. Of a loop that counts in an unsigned type of
// 64 bits and is dealt by `long`, the end that is no constant may look negative there, when the
// loop has no iteration; it is made to begin where it ends (steer.cpp, wide_unsigned_of).
tree end_of(gimple_stmt_iterator* at, bool begin, const replacement& r, const loop_facts& loop) {
  const gimple* call = gsi_stmt(*at);
  const unsigned first = r.ull ? 1 : 0;
  const tree given = gimple_call_arg(call, begin ? first : first + 1);
  const tree other = gimple_call_arg(call, begin ? first + 1 : first);
  if (r.ull || loop.wide_unsigned != (begin ? 1 : -1)) return given;
  gimple_seq before = nullptr;
  const tree a = gimple_convert(&before, whole(), given);
  const tree b = gimple_convert(&before, whole(), other);
  const tree least =
      gimple_convert(&before, TREE_TYPE(given), gimple_build(&before, MIN_EXPR, whole(), a, b));
  gsi_insert_seq_before(at, before, GSI_SAME_STMT);
  return least;
}

// Lets the loop be begun, gone on with and ended by the object's own entries, which need no runtime
// where nobody can steer. False: it cannot be.
bool begin_by_entry(gimple_stmt_iterator* at, const replacement& r, loop_facts& loop) {
  make_entries();
  const entries& by = made_entries();
  gcall* old = as_a<gcall*>(gsi_stmt(*at));
  const unsigned first_number = r.ull ? 1 : 0;
  const tree step = step_of(at, first_number + 2, loop);
  calls_of_loop others;
  if (by.begin == NULL_TREE || loop.dealing != as_static || TREE_CODE(step) != INTEGER_CST ||
      !find_calls(old, others))
    return false;
  const bool down = r.ull ? integer_zerop(gimple_call_arg(old, 0)) : tree_int_cst_sgn(step) < 0;
  if (r.ull && TREE_CODE(gimple_call_arg(old, 0)) != INTEGER_CST) return false;
  loop.counts = begun_by_entry | (r.ull ? counts_in_ull : 0) | (down ? counts_down : 0);
  auto_vec<tree> given;
  for (const bool begin : {true, false}) given.safe_push(end_of(at, begin, r, loop));
  given.safe_push(step);
  for (unsigned i = 4; i < 6; ++i) given.safe_push(gimple_call_arg(old, first_number + i));
  given.safe_push(address_of_note(loop));
  for (int i = 0; i < 2; ++i) given.safe_push(null_pointer_node);  // until costs.cpp knows more
  gcall* call = gimple_build_call_vec(by.begin, given);
  gimple_call_set_lhs(call, gimple_call_lhs(old));
  gimple_set_location(call, gimple_location(old));
  gimple_move_vops(call, old);
  gsi_replace(at, call, false);
  for (gcall* next : others.nexts) {
    gimple_call_set_fndecl(next, by.next);
    gimple_call_set_fntype(next, TREE_TYPE(by.next));
    update_stmt(next);
  }
  for (gcall* end : others.ends) {
    const tree one = end_entry(by, end);
    gimple_call_set_fndecl(end, one);
    gimple_call_set_fntype(end, TREE_TYPE(one));
    update_stmt(end);
  }
  return true;
}

void begin_steerable(gimple_stmt_iterator* at, const replacement& r, const loop_facts& loop) {
  gcall* old = as_a<gcall*>(gsi_stmt(*at));
  const unsigned numbers = r.ull ? 4 : 3;  // the direction, where the loop begins, ends, its step
  auto_vec<tree> given;
  if (r.ull) given.safe_push(gimple_call_arg(old, 0));
  for (const bool begin : {true, false}) given.safe_push(end_of(at, begin, r, loop));
  given.safe_push(step_of(at, numbers - 1, loop));
  given.safe_push(build_int_cst(long_integer_type_node, loop.dealing));
  given.safe_push(build_int_cst(r.ull ? long_long_unsigned_type_node : long_integer_type_node,
                                static_cast<HOST_WIDE_INT>(loop.chunk)));
  given.safe_push(gimple_call_arg(old, numbers + 1));
  given.safe_push(gimple_call_arg(old, numbers + 2));
  for (int i = 0; i < 2; ++i) given.safe_push(null_pointer_node);
  given.safe_push(build_int_cst(long_long_unsigned_type_node, note_magic));
  given.safe_push(address_of_note(loop));
  for (int i = 0; i < 2; ++i) given.safe_push(null_pointer_node);  // until costs.cpp knows more
  given.safe_push(build_zero_cst(long_long_unsigned_type_node));
  gcall* call = gimple_build_call_vec(builtin_decl_explicit(r.by), given);
  gimple_call_set_lhs(call, gimple_call_lhs(old));
  gimple_set_location(call, gimple_location(old));
  gimple_move_vops(call, old);
  gsi_replace(at, call, false);
}

void ask_for_next(gimple_stmt_iterator* at, const replacement& r) {
  gimple_call_set_fndecl(gsi_stmt(*at), builtin_decl_explicit(r.by));
  update_stmt(gsi_stmt(*at));
}

bool is_apart_mark(const gimple* s) {
  return gimple_code(s) == GIMPLE_ASM &&
         std::strcmp(gimple_asm_string(as_a<const gasm*>(s)), apart_mark) == 0;
}

template <class Visit>
void for_each_statement(function* f, Visit visit) {
  basic_block block;
  FOR_EACH_BB_FN(block, f) {
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at);) {
      if (visit(&at)) continue;  // it has removed the statement
      gsi_next(&at);
    }
  }
}

constexpr pass_data handing_over_data = {
    GIMPLE_PASS, "doall_hand_over", OPTGROUP_OMP, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, 0};

class handing_over : public gimple_opt_pass {
 public:
  handing_over() : gimple_opt_pass(handing_over_data, g) {}
  bool gate(function*) final { return flag_openmp && !in_lto_p && !loops.empty(); }
  unsigned execute(function* f) final {
    bool changed = false;
    calculate_dominance_info(CDI_DOMINATORS);
    for_each_statement(f, [&](gimple_stmt_iterator* at) {
      if (is_apart_mark(gsi_stmt(*at))) {
        unlink_stmt_vdef(gsi_stmt(*at));
        gsi_remove(at, true);
        return true;
      }
      const replacement* r = replacement_of(gsi_stmt(*at));
      if (r == nullptr || !r->begins) return false;
      if (loop_facts* loop = loop_begun(as_a<gcall*>(gsi_stmt(*at)), *r)) {
        if (!begin_by_entry(at, *r, *loop)) begin_steerable(at, *r, *loop);
        changed = true;
      }
      return false;
    });
    if (!changed) return TODO_update_ssa_only_virtuals;
    for_each_statement(f, [&](gimple_stmt_iterator* at) {
      const replacement* r = replacement_of(gsi_stmt(*at));
      if (r != nullptr && !r->begins) ask_for_next(at, *r);
      return false;
    });
    cgraph_edge::rebuild_edges();
    return TODO_update_ssa_only_virtuals;
  }
};

}  // namespace

void register_handing_over(const char* plugin) {
  static register_pass_info here = {new handing_over, "ssa", 1, PASS_POS_INSERT_AFTER};
  register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &here);
}

}  // namespace doall::plugin
