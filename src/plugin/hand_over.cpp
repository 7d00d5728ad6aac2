// SPDX-License-Identifier: GPL-3.0-or-later
// Hands steered loops over to the runtime, once GCC has made calls of them.
//
// GCC has made of a marked loop (steer.cpp)
//     GOMP_loop_nonmonotonic_dynamic_start(begin, end, step, MARK + number, &first, &last)
// and this pass replaces it by
//     GOMP_loop_start(begin, end, step, static, 0, &first, &last, null, null,
//                     MAGIC, note, context, cost, facts)
// (of a loop with schedule(runtime), dynamic or guided: that, with its chunk size).
// GCC's own code never asks a runtime for the ranges of a static loop, so this is free to mean "as
// static, unless it is steered". A runtime that does not know the last five arguments ignores them,
// for in the ABIs of Linux the caller frees what it passes. So the program runs on any libgomp,
// static and right; no symbol is needed that only doall has.
//
// The calls that ask for the next range become GOMP_loop_runtime_next, which goes on with whatever
// loop its thread is in. How a loop ends is not changed.
#include "plugin.hpp"

#include "cgraph.h"
#include "context.h"
#include "gimple-iterator.h"
#include "gimple-pretty-print.h"
#include "ssa.h"
#include "tree-pass.h"

#include "note.hpp"

#include <cstring>

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
const loop_facts* loop_begun(const gcall* call, const replacement& r) {
  const tree chunk = gimple_call_arg(call, r.ull ? 4 : 3);
  if (TREE_CODE(chunk) != INTEGER_CST || !cst_and_fits_in_hwi(chunk)) return nullptr;
  const auto value = static_cast<unsigned HOST_WIDE_INT>(int_cst_value(chunk));
  const unsigned HOST_WIDE_INT number = (value - loop_mark) >> number_shift;
  if (number >= loops.size() || value != mark_of(number)) return nullptr;
  return &loops[number];
}

void begin_steerable(gimple_stmt_iterator* at, const replacement& r, const loop_facts& loop) {
  gcall* old = as_a<gcall*>(gsi_stmt(*at));
  const unsigned numbers = r.ull ? 4 : 3;  // the direction, where the loop begins, ends, its step
  auto_vec<tree> given;
  for (unsigned i = 0; i < numbers; ++i) given.safe_push(gimple_call_arg(old, i));
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
    for_each_statement(f, [&](gimple_stmt_iterator* at) {
      if (is_apart_mark(gsi_stmt(*at))) {
        unlink_stmt_vdef(gsi_stmt(*at));
        gsi_remove(at, true);
        return true;
      }
      const replacement* r = replacement_of(gsi_stmt(*at));
      if (r == nullptr || !r->begins) return false;
      if (const loop_facts* loop = loop_begun(as_a<gcall*>(gsi_stmt(*at)), *r)) {
        begin_steerable(at, *r, *loop);
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
