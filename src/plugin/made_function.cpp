// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_function.hpp"

#include "function.h"
#include "gimple-expr.h"
#include "gimplify.h"
#include "stringpool.h"

namespace doall::plugin {

tree declare_function(const std::string& name, tree returns,
                      std::initializer_list<parameter> parameters) {
  auto_vec<tree> types;
  for (const parameter& p : parameters) types.safe_push(p.type);
  const tree type =
      build_function_type_array(returns, static_cast<int>(types.length()), types.address());
  // By its place it is none of the source's: GCC counts no runs of it (-fprofile-arcs).
  const tree function =
      build_decl(BUILTINS_LOCATION, FUNCTION_DECL, get_identifier(name.c_str()), type);
  DECL_NO_INSTRUMENT_FUNCTION_ENTRY_EXIT(function) = 1;
  TREE_STATIC(function) = TREE_USED(function) = 1;
  DECL_ARTIFICIAL(function) = DECL_IGNORED_P(function) = DECL_UNINLINABLE(function) = 1;
  tree* last = &DECL_ARGUMENTS(function);
  for (const parameter& p : parameters) {
    const tree decl = build_decl(UNKNOWN_LOCATION, PARM_DECL, get_identifier(p.name), p.type);
    DECL_ARG_TYPE(decl) = p.type;
    DECL_CONTEXT(decl) = function;
    TREE_USED(decl) = 1;
    *last = decl;
    last = &DECL_CHAIN(decl);
  }
  const tree result = build_decl(UNKNOWN_LOCATION, RESULT_DECL, NULL_TREE, returns);
  DECL_ARTIFICIAL(result) = DECL_IGNORED_P(result) = 1;
  DECL_CONTEXT(result) = function;
  DECL_RESULT(function) = result;
  return function;
}

void define_function(tree function, tree body, const std::vector<tree>& variables) {
  const tree block = make_node(BLOCK);
  BLOCK_SUPERCONTEXT(block) = function;
  TREE_USED(block) = 1;
  DECL_INITIAL(function) = block;
  tree chain = NULL_TREE;
  for (const tree v : variables) {
    DECL_CHAIN(v) = chain;
    chain = v;
  }
  BLOCK_VARS(block) = chain;
  DECL_SAVED_TREE(function) = build3(BIND_EXPR, void_type_node, chain, body, block);
  push_struct_function(function);
  pop_cfun();
  gimplify_function_tree(function);
}

tree without_checks(unsigned checks, tree attributes) {
  return tree_cons(get_identifier("no_sanitize"), build_int_cst(unsigned_type_node, checks),
                   attributes);
}

tree new_variable(tree function, const char* name, tree type) {
  const tree v = build_decl(UNKNOWN_LOCATION, VAR_DECL, create_tmp_var_name(name), type);
  DECL_CONTEXT(v) = function;
  DECL_ARTIFICIAL(v) = TREE_USED(v) = 1;
  return v;
}

tree square_root(tree value) {
  return build_call_expr_internal_loc(UNKNOWN_LOCATION, IFN_SQRT, TREE_TYPE(value), 1, value);
}

tree returns(tree function, tree value) {
  const tree result = DECL_RESULT(function);
  return build1(RETURN_EXPR, void_type_node, build2(MODIFY_EXPR, TREE_TYPE(result), result, value));
}

}  // namespace doall::plugin
