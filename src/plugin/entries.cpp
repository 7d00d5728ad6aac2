// SPDX-License-Identifier: GPL-3.0-or-later
// What a steered loop calls: a few small functions, once in each object that has such a loop.
//
//   begin  where doall is, its doall_loop_start. Else the thread's block, computed as GCC's code
//          does: the first N mod P threads get one iteration more.
//   next   where doall is, GOMP_loop_runtime_next; else there is none
//   end    where doall is, GOMP_loop_end; else a barrier. Without one: nothing
//
// Whether doall is there says the address of its function, a weak one that is looked up through the
// table of offsets: null where no library defines it, and not where one is preloaded. It is the
// same for the whole life of the process, so the calls of one loop agree.
//
// So a loop costs on plain libgomp what GCC's costs, and two calls. (GOMP_loop_start of libgomp
// sets up a work share under a lock, 500 ns.) Calls to these have fewer arguments than the
// runtime's, and the objects are smaller.
#include "entries.hpp"

#include "cgraph.h"
#include "fold-const.h"
#include "made_function.hpp"
#include "note.hpp"
#include "stringpool.h"
#include "tree-iterator.h"
#include "varasm.h"

#include "attribs.h"

namespace doall::plugin {
namespace {

entries made;

tree bytes() { return build_pointer_type(char_type_node); }  // may be of any type

tree at(tree address, HOST_WIDE_INT offset) {
  return build2(MEM_REF, whole(), address, build_int_cst(bytes(), offset));
}

tree assign(tree to, tree value) { return build2(MODIFY_EXPR, void_type_node, to, value); }

tree binary(tree_code code, tree a, tree b) { return build2(code, whole(), a, b); }

tree compare(tree_code code, tree a, tree b) { return build2(code, boolean_type_node, a, b); }

tree choose(tree condition, tree yes, tree no) {
  return build3(COND_EXPR, whole(), condition, yes, no);
}

tree when(tree condition, tree yes, tree no) {
  return build3(COND_EXPR, void_type_node, condition, yes, no);
}

tree call(tree decl, const std::vector<tree>& arguments) {
  return build_call_array_loc(UNKNOWN_LOCATION, TREE_TYPE(TREE_TYPE(decl)),
                              build_fold_addr_expr(decl), static_cast<int>(arguments.size()),
                              arguments.data());
}

// doall_loop_start, which only doall has (src/omp/gomp.cpp): as `begin`, and where that is called.
tree start_of_doall() {
  static tree start = NULL_TREE;  // kept by the entries' bodies
  if (start != NULL_TREE) return start;
  start = build_fn_decl(
      "doall_loop_start",
      build_function_type_list(boolean_type_node, whole(), whole(), whole(), bytes(), bytes(),
                               bytes(), ptr_type_node, ptr_type_node, ptr_type_node, NULL_TREE));
  DECL_ATTRIBUTES(start) = tree_cons(get_identifier("noplt"), NULL_TREE, NULL_TREE);
  declare_weak(start);
  return start;
}

tree is_served() {
  return compare(NE_EXPR, build_fold_addr_expr(start_of_doall()), null_pointer_node);
}

tree declare(const char* name, tree returns, std::initializer_list<parameter> parameters) {
  const tree function = declare_function(name, returns, parameters);
  TREE_NOTHROW(function) = 1;
  // It stays a call, of a function of its own: all that it is for is to be small where it is used.
  DECL_ATTRIBUTES(function) =
      tree_cons(get_identifier("noipa"), NULL_TREE, without_checks(~0U, NULL_TREE));
  return function;
}

void define(tree function, tree body, const std::vector<tree>& variables = {}) {
  define_function(function, body, variables);
  cgraph_node::get_create(function)->mark_force_output();  // its callers are not there yet
  cgraph_node::finalize_function(function, true);
}

void make_begin() {
  made.begin = declare("doall.begin", boolean_type_node,
                       {{"begin", whole()},
                        {"end", whole()},
                        {"step", whole()},
                        {"first", bytes()},
                        {"last", bytes()},
                        {"note", bytes()},
                        {"context", ptr_type_node},
                        {"cost", ptr_type_node}});
  std::vector<tree> given;
  for (tree p = DECL_ARGUMENTS(made.begin); p != NULL_TREE; p = DECL_CHAIN(p)) given.push_back(p);
  const tree begin = given[0], end = given[1], step = given[2], first = given[3], last = given[4];
  const tree note = given[5];
  std::vector<tree> variables;
  const auto variable = [&](const char* name) {
    variables.push_back(new_variable(made.begin, name, whole()));
    return variables.back();
  };
  const tree facts = variable("facts"), is_ull = variable("ull"), down = variable("down");
  const tree distance = variable("distance"), by = variable("by"), n = variable("n");
  const tree threads = variable("threads"), me = variable("me"), each = variable("each");
  const tree more = variable("more"), from = variable("from"), to = variable("to");
  const auto fact = [&](unsigned HOST_WIDE_INT bit) {
    return binary(BIT_AND_EXPR, facts, number(bit));
  };
  const auto is = [](tree value) { return compare(NE_EXPR, value, number(0)); };
  const auto as_signed = [](tree value) {
    return build1(NOP_EXPR, long_long_integer_type_node, value);
  };

  tree all = NULL_TREE;
  const auto add = [&](tree statement) { append_to_statement_list(statement, &all); };
  std::vector<tree> whole_call = given;
  whole_call.push_back(call(builtin_decl_explicit(BUILT_IN_RETURN_ADDRESS), {integer_zero_node}));
  add(when(is_served(), returns(made.begin, call(start_of_doall(), whole_call)), NULL_TREE));

  add(assign(facts, at(note, offset_of_facts)));
  add(assign(is_ull, fact(counts_in_ull)));
  add(assign(down, fact(counts_down)));
  add(assign(distance,
             choose(is(down), binary(MINUS_EXPR, begin, end), binary(MINUS_EXPR, end, begin))));
  add(assign(by, choose(is(down), build1(NEGATE_EXPR, whole(), step), step)));
  // Whether there is an iteration: begin before end, in the counter's type.
  const tree less =
      choose(is(is_ull),
             build1(NOP_EXPR, whole(),
                    build3(COND_EXPR, boolean_type_node, is(down), compare(GT_EXPR, begin, end),
                           compare(LT_EXPR, begin, end))),
             build1(NOP_EXPR, whole(),
                    build3(COND_EXPR, boolean_type_node, is(down),
                           compare(GT_EXPR, as_signed(begin), as_signed(end)),
                           compare(LT_EXPR, as_signed(begin), as_signed(end)))));
  add(assign(n, less));
  const tree rounded = binary(
      PLUS_EXPR, binary(TRUNC_DIV_EXPR, binary(MINUS_EXPR, distance, number(1)), by), number(1));
  add(when(is(n), assign(n, choose(compare(EQ_EXPR, by, number(1)), distance, rounded)),
           NULL_TREE));
  add(assign(threads, build1(NOP_EXPR, whole(),
                             call(builtin_decl_explicit(BUILT_IN_OMP_GET_NUM_THREADS), {}))));
  add(assign(
      me, build1(NOP_EXPR, whole(), call(builtin_decl_explicit(BUILT_IN_OMP_GET_THREAD_NUM), {}))));
  add(assign(each, binary(TRUNC_DIV_EXPR, n, threads)));
  add(assign(more, binary(TRUNC_MOD_EXPR, n, threads)));
  add(assign(from, binary(PLUS_EXPR, binary(MULT_EXPR, me, each), binary(MIN_EXPR, me, more))));
  add(assign(to, binary(PLUS_EXPR, binary(PLUS_EXPR, from, each),
                        build1(NOP_EXPR, whole(), compare(LT_EXPR, me, more)))));
  const auto value = [&](tree iteration) {
    return binary(PLUS_EXPR, begin, binary(MULT_EXPR, iteration, step));
  };
  add(assign(at(first, 0), value(from)));
  // One step beyond the last iteration need not fit in the program's type.
  add(assign(at(last, 0), choose(compare(EQ_EXPR, to, n), end, value(to))));
  add(returns(made.begin, compare(LT_EXPR, from, to)));
  define(made.begin, all, variables);
}

void make_next() {
  made.next = declare("doall.next", boolean_type_node, {{"first", bytes()}, {"last", bytes()}});
  const tree first = DECL_ARGUMENTS(made.next);
  define(made.next,
         when(is_served(),
              returns(made.next, call(builtin_decl_explicit(BUILT_IN_GOMP_LOOP_RUNTIME_NEXT),
                                      {first, DECL_CHAIN(first)})),
              returns(made.next, boolean_false_node)));
}

tree make_end(const char* name, built_in_function served, tree otherwise) {
  const tree function = declare(name, void_type_node, {});
  define(function, when(is_served(), call(builtin_decl_explicit(served), {}), otherwise));
  return function;
}

}  // namespace

void make_entries(bool waits) {
  if (TYPE_PRECISION(long_integer_type_node) != 64 || POINTER_SIZE != 64 ||
      builtin_decl_explicit(BUILT_IN_RETURN_ADDRESS) == NULL_TREE)
    return;
  if (made.begin == NULL_TREE) {
    make_begin();
    make_next();
  }
  if (waits && made.end == NULL_TREE)
    made.end = make_end("doall.end", BUILT_IN_GOMP_LOOP_END,
                        call(builtin_decl_explicit(BUILT_IN_GOMP_BARRIER), {}));
  if (!waits && made.end_nowait == NULL_TREE)
    made.end_nowait = make_end("doall.end_nowait", BUILT_IN_GOMP_LOOP_END_NOWAIT, NULL_TREE);
}

const entries& made_entries() { return made; }

}  // namespace doall::plugin
