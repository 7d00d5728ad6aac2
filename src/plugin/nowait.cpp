// SPDX-License-Identifier: GPL-3.0-or-later
// Finds loops whose blocks another loop of their region may rely on.
//
// GCC's static loops of one length give an iteration to the same thread. Programs rely on that
// where no barrier is between two of them: `nowait` at the first one, and the second reads what its
// thread has written. OpenMP promises it for schedule(static) alone, but loops without a clause are
// static with every compiler. So both keep static's blocks, unless their source or a switch says
// otherwise.
//
// The region's statements are passed in their order, with a set: the loops that have ended without
// a barrier since. It is carried along jumps until nothing changes. A call to a function that may
// have loops of its own counts as such a loop, and so does what follows a function's end. The other
// way round, that a loop of the caller is still open when a function begins, or one of the callee's
// when that returns, is seen where the loops run: the runtime knows which loop its thread has left
// (src/omp/compiled_loops.cpp).
//
// Ends, since sets only grow. Cost: a pass over a function's statements, of functions that have a
// loop with `nowait`; rarely a second one.
#include "nowait.hpp"

#include "stringpool.h"

#include "api_names.hpp"
#include "attribs.h"
#include "bversion.h"
#include "fold-const.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "omp-general.h"

#include <algorithm>
#include <map>
#include <vector>

namespace doall::plugin {
namespace {

using open_loops = std::set<gomp_for*>;

bool has_nowait(tree clauses) { return omp_find_clause(clauses, OMP_CLAUSE_NOWAIT) != NULL_TREE; }

// Whether its blocks are those of a static loop without a chunk size. `auto` leaves them to the
// implementation.
bool has_static_blocks(gomp_for* loop) {
  if (gimple_omp_for_kind(loop) != GF_OMP_FOR_KIND_FOR) return false;
  const tree given = omp_find_clause(gimple_omp_for_clauses(loop), OMP_CLAUSE_SCHEDULE);
  if (given == NULL_TREE) return true;
  const auto kind = OMP_CLAUSE_SCHEDULE_KIND(given) & OMP_CLAUSE_SCHEDULE_MASK;
  return kind == OMP_CLAUSE_SCHEDULE_STATIC && OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(given) == NULL_TREE;
}

bool is_in_namespace_std(tree function) {
  tree outermost = NULL_TREE;
  for (tree scope = DECL_CONTEXT(function);
       scope != NULL_TREE && TREE_CODE(scope) != TRANSLATION_UNIT_DECL;
       scope = get_containing_scope(scope))
    outermost = scope;
  return outermost != NULL_TREE && TREE_CODE(outermost) == NAMESPACE_DECL &&
         DECL_NAME(outermost) != NULL_TREE &&
         (id_equal(DECL_NAME(outermost), "std") || id_equal(DECL_NAME(outermost), "__gnu_cxx"));
}

// Whether what is passed may be called: a function, or an object with an operator().
bool may_be_called(tree type) {
  while (POINTER_TYPE_P(type)) type = TREE_TYPE(type);
  if (FUNC_OR_METHOD_TYPE_P(type)) return true;
  if (TREE_CODE(type) != RECORD_TYPE) return false;
  for (tree member = TYPE_FIELDS(TYPE_MAIN_VARIANT(type)); member != NULL_TREE;
       member = DECL_CHAIN(member)) {
    if (DECL_P(member) && DECL_NAME(member) != NULL_TREE &&
        id_equal(DECL_NAME(member), "operator()"))
      return true;
  }
  return false;
}

// Whether the function is one of the language's own library, which has no worksharing loops unless
// it calls what it is passed. Any library's header may be a system header (-isystem). glibc's
// functions that call nothing back are leaves (__THROW).
bool is_of_language(const gcall* call, tree callee) {
  if (!in_system_header_at(DECL_SOURCE_LOCATION(callee))) return false;
  if (lookup_attribute("leaf", DECL_ATTRIBUTES(callee)) != NULL_TREE ||
      DECL_IS_OPERATOR_NEW_P(callee) || DECL_IS_OPERATOR_DELETE_P(callee))
    return true;
  if (!is_in_namespace_std(callee)) return false;
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i)
    if (may_be_called(TREE_TYPE(gimple_call_arg(call, i)))) return false;
  return true;
}

// Whether a function that is called may have worksharing loops that bind to the caller's region.
bool may_have_loops(const gcall* call) {
  if (gimple_call_internal_p(call) || gimple_call_builtin_p(call)) return false;
  const tree callee = gimple_call_fndecl(call);
  if (callee == NULL_TREE) return true;
  const char* name = IDENTIFIER_POINTER(DECL_NAME(callee));
  return !DECL_IS_UNDECLARED_BUILTIN(callee) && !is_of_language(call, callee) &&
         !is_of_api(callee) && !startswith(name, "_gfortran_");
}

class passing {
 public:
  // `function`: what follows its end is not known.
  passing(bool function, std::set<gomp_for*>& keeps) : function_(function), keeps_(keeps) {}

  void pass_until_settled(gimple_seq body) {
    do {
      changed_ = false;
      now_.clear();
      pass(body);
      if (function_) keep_open();
    } while (changed_);
  }

 private:
  void merge(const open_loops& from, open_loops& into) {
    for (gomp_for* loop : from) changed_ = into.insert(loop).second || changed_;
  }
  void jump(tree label) { merge(now_, at_[label]); }
  void keep_open() { keeps_.insert(now_.begin(), now_.end()); }

  void meet(gomp_for* loop) {
    if (gimple_omp_for_kind(loop) != GF_OMP_FOR_KIND_FOR) return pass(gimple_omp_body(loop));
    const bool blocks = has_static_blocks(loop);
    if (blocks && !now_.empty()) {
      keep_open();
      keeps_.insert(loop);
    }
    if (!has_nowait(gimple_omp_for_clauses(loop)))
      now_.clear();
    else if (blocks)
      now_.insert(loop);
  }

  void end_construct(tree clauses) {
    if (!has_nowait(clauses)) now_.clear();
  }

  void pass_call(const gcall* call) {
    if (gimple_call_builtin_p(call, BUILT_IN_GOMP_BARRIER) ||
        gimple_call_builtin_p(call, BUILT_IN_GOMP_BARRIER_CANCEL))
      now_.clear();
    else if (!now_.empty() && may_have_loops(call))
      keep_open();
  }

  void pass_switch(gswitch* s) {
    for (unsigned i = 0; i < gimple_switch_num_labels(s); ++i)
      jump(CASE_LABEL(gimple_switch_label(s, i)));
    now_.clear();
  }

  void pass_statement(gimple* s) {
    switch (gimple_code(s)) {
      case GIMPLE_LABEL: {
        open_loops& here = at_[gimple_label_label(as_a<glabel*>(s))];
        merge(now_, here);
        now_ = here;
        break;
      }
      case GIMPLE_GOTO:
        if (TREE_CODE(gimple_goto_dest(s)) == LABEL_DECL) jump(gimple_goto_dest(s));
        now_.clear();
        break;
      case GIMPLE_COND:
        if (gimple_cond_true_label(as_a<gcond*>(s)) != NULL_TREE)
          jump(gimple_cond_true_label(as_a<gcond*>(s)));
        if (gimple_cond_false_label(as_a<gcond*>(s)) != NULL_TREE)
          jump(gimple_cond_false_label(as_a<gcond*>(s)));
        break;
      case GIMPLE_SWITCH: pass_switch(as_a<gswitch*>(s)); break;
      case GIMPLE_RETURN:
        if (function_) keep_open();
        now_.clear();
        break;
      case GIMPLE_CALL: pass_call(as_a<gcall*>(s)); break;
      case GIMPLE_BIND: pass(gimple_bind_body(as_a<gbind*>(s))); break;
      case GIMPLE_TRY:
        pass(gimple_try_eval(s));
        pass(gimple_try_cleanup(s));
        break;
      case GIMPLE_CATCH: pass(gimple_catch_handler(as_a<gcatch*>(s))); break;
      case GIMPLE_EH_FILTER: pass(gimple_eh_filter_failure(s)); break;
      case GIMPLE_EH_ELSE:
        pass(gimple_eh_else_n_body(as_a<geh_else*>(s)));
        pass(gimple_eh_else_e_body(as_a<geh_else*>(s)));
        break;
      case GIMPLE_OMP_FOR: meet(as_a<gomp_for*>(s)); break;
      // No loop of the region may stand in most constructs, nor in a function called from one.
      case GIMPLE_OMP_SECTIONS: end_construct(gimple_omp_sections_clauses(s)); break;
      case GIMPLE_OMP_SINGLE: end_construct(gimple_omp_single_clauses(s)); break;
      case GIMPLE_OMP_SCOPE:
        pass(gimple_omp_body(s));
        end_construct(gimple_omp_scope_clauses(s));
        break;
      case GIMPLE_OMP_TARGET:
        if (gimple_omp_target_kind(s) == GF_OMP_TARGET_KIND_DATA) pass(gimple_omp_body(s));
        break;
#if BUILDING_GCC_MAJOR >= 15
      case GIMPLE_OMP_DISPATCH:
#endif
      case GIMPLE_OMP_TASKGROUP:
      case GIMPLE_OMP_TEAMS: pass(gimple_omp_body(s)); break;
      default: break;
    }
  }

  void pass(gimple_seq body) {
    for (gimple_stmt_iterator at = gsi_start(body); !gsi_end_p(at); gsi_next(&at))
      pass_statement(gsi_stmt(at));
  }

  const bool function_;
  std::set<gomp_for*>& keeps_;
  open_loops now_;
  std::map<tree, open_loops> at_;
  bool changed_ = false;
};

tree find_nowait(gimple_stmt_iterator* at, bool* handled, walk_stmt_info* walk) {
  *handled = false;
  if (gimple_code(gsi_stmt(*at)) != GIMPLE_OMP_FOR) return NULL_TREE;
  gomp_for* loop = as_a<gomp_for*>(gsi_stmt(*at));
  const bool found = has_static_blocks(loop) && has_nowait(gimple_omp_for_clauses(loop));
  if (found) *static_cast<bool*>(walk->info) = true;
  return NULL_TREE;
}

}  // namespace

bool has_nowait_loops(gimple_seq body) {
  bool found = false;
  walk_stmt_info walk = {};
  walk.info = &found;
  walk_gimple_seq(body, find_nowait, nullptr, &walk);
  return found;
}

void find_paired(gimple_seq body, bool function, std::set<gomp_for*>& keeps) {
  passing(function, keeps).pass_until_settled(body);
}

}  // namespace doall::plugin
