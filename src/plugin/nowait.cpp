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
#include "langhooks.h"
#include "omp-general.h"

#include <algorithm>
#include <initializer_list>
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

// Whether the function or the type is declared by the language's own library. Any library's header
// may be a system header (-isystem).
bool is_of_library(tree name) {
  tree outermost = NULL_TREE;
  for (tree scope = DECL_CONTEXT(name);
       scope != NULL_TREE && TREE_CODE(scope) != TRANSLATION_UNIT_DECL;
       scope = get_containing_scope(scope))
    outermost = scope;
  return in_system_header_at(DECL_SOURCE_LOCATION(name)) && outermost != NULL_TREE &&
         TREE_CODE(outermost) == NAMESPACE_DECL && DECL_NAME(outermost) != NULL_TREE &&
         (id_equal(DECL_NAME(outermost), "std") || id_equal(DECL_NAME(outermost), "__gnu_cxx"));
}

bool has_code(tree type);

bool any_has_code(tree arguments) {
  for (int i = 0; arguments != NULL_TREE && i < TREE_VEC_LENGTH(arguments); ++i) {
    const tree one = TREE_VEC_ELT(arguments, i);
    if (one == NULL_TREE) continue;
    if (const tree pack = lang_hooks.types.get_argument_pack_elems(one); pack != NULL_TREE) {
      if (any_has_code(pack)) return true;
    } else if (const tree type = TYPE_P(one) ? one : TREE_TYPE(one);
               type != NULL_TREE && has_code(type)) {
      return true;
    }
  }
  return false;
}

// Whether an argument of the template that it is made of has code, or one of the templates around.
bool is_made_of_code(tree of) {
  for (;
       of != NULL_TREE && TREE_CODE(of) != NAMESPACE_DECL && TREE_CODE(of) != TRANSLATION_UNIT_DECL;
       of = get_containing_scope(of)) {
    if (any_has_code(lang_hooks.get_innermost_generic_args(of))) return true;
  }
  return false;
}

// Whether the language's library may call code of the program, or of another library, for a value
// of the type: the function that it is, or points to; constructors, operators and other members of
// a class or an enumeration that is not the library's own.
bool has_code(tree type) {
  while (POINTER_TYPE_P(type) || TREE_CODE(type) == ARRAY_TYPE) type = TREE_TYPE(type);
  if (FUNC_OR_METHOD_TYPE_P(type)) return true;
  if (!RECORD_OR_UNION_TYPE_P(type) && TREE_CODE(type) != ENUMERAL_TYPE) return false;
  type = TYPE_MAIN_VARIANT(type);
  const tree name = TYPE_NAME(type);
  return name == NULL_TREE || !DECL_P(name) || !is_of_library(name) || is_made_of_code(type);
}

// Whether what is passed has code, which it does not if it is one of the library's functions
// (std::endl).
bool passes_code(tree argument) {
  if (TREE_CODE(argument) == ADDR_EXPR && TREE_CODE(TREE_OPERAND(argument, 0)) == FUNCTION_DECL) {
    const tree function = TREE_OPERAND(argument, 0);
    return !is_of_library(function) || is_made_of_code(function);
  }
  return has_code(TREE_TYPE(argument));
}

bool is_named(tree name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* one) { return id_equal(name, one); });
}

// The element type of a container whose members call only the elements' ones; or null.
tree element_of(tree type) {
  const tree name = TYPE_NAME(type);
  const tree arguments = lang_hooks.get_innermost_generic_args(type);
  if (name == NULL_TREE || !DECL_P(name) || !is_of_library(name) || arguments == NULL_TREE ||
      TREE_VEC_LENGTH(arguments) != 2)
    return NULL_TREE;
  if (is_named(DECL_NAME(name), {"array"})) return TREE_VEC_ELT(arguments, 0);
  if (!is_named(DECL_NAME(name), {"vector", "deque", "list"})) return NULL_TREE;
  const tree allocator = TREE_VEC_ELT(arguments, 1);
  const tree its = TYPE_P(allocator) ? TYPE_NAME(allocator) : NULL_TREE;
  return its != NULL_TREE && DECL_P(its) && is_of_library(its) &&
                 is_named(DECL_NAME(its), {"allocator"})
             ? TREE_VEC_ELT(arguments, 0)
             : NULL_TREE;
}

// Whether the end of a value of the type may call code of the program.
bool ends_by_code(tree type) {
  while (TREE_CODE(type) == ARRAY_TYPE) type = TREE_TYPE(type);
  if (!RECORD_OR_UNION_TYPE_P(type)) return false;
  type = TYPE_MAIN_VARIANT(type);
  if (const tree element = element_of(type); element != NULL_TREE) return ends_by_code(element);
  const tree name = TYPE_NAME(type);
  if (name == NULL_TREE || !DECL_P(name) || !is_of_library(name))
    return !COMPLETE_TYPE_P(type) || TREE_ADDRESSABLE(type);  // copied, or ended, by its members
  return has_code(type);
}

// Whether it is a member of the library that calls none of the elements' code, whatever they are.
bool leaves_elements(tree callee) {
  const tree type = DECL_CONTEXT(callee);
  if (type == NULL_TREE || !RECORD_OR_UNION_TYPE_P(type)) return false;
  if (DECL_CXX_DESTRUCTOR_P(callee)) return is_of_library(callee) && !ends_by_code(type);
  return element_of(type) != NULL_TREE &&
         is_named(DECL_NAME(callee),
                  {"size", "empty", "begin", "end", "data", "front", "back", "operator[]"});
}

// Whether it is a member of a class that runs what it was given long before, of a type that is not
// told.
bool runs_later(tree callee) {
  for (tree of = DECL_CONTEXT(callee); of != NULL_TREE && TYPE_P(of);
       of = get_containing_scope(of)) {
    const tree name = TYPE_NAME(of);
    if (name != NULL_TREE && DECL_P(name) &&
        is_named(DECL_NAME(name), {"future", "shared_future", "__basic_future", "coroutine_handle",
                                   "generator", "stop_source", "any"}))
      return true;
  }
  return false;
}

// Whether the function is one of the language's own library, which has no worksharing loops unless
// it calls what it has been given: what no type tells, as a shared_ptr's deleter, is taken to have
// none. glibc's functions that call nothing back are leaves in C (__THROW).
bool is_of_language(const gcall* call, tree callee) {
  if (!in_system_header_at(DECL_SOURCE_LOCATION(callee))) return false;
  if (lookup_attribute("leaf", DECL_ATTRIBUTES(callee)) != NULL_TREE ||
      DECL_IS_OPERATOR_NEW_P(callee) || DECL_IS_OPERATOR_DELETE_P(callee))
    return true;
  if (leaves_elements(callee)) return true;
  if (!is_of_library(callee) || runs_later(callee) || is_made_of_code(callee)) return false;
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i)
    if (passes_code(gimple_call_arg(call, i))) return false;
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
