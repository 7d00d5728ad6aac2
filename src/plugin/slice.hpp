// SPDX-License-Identifier: GPL-3.0-or-later
// Says a value of a loop's iteration again, as an expression of the closure and the iteration's
// number: so that it can be computed before the loop.
//
// Values that are computed before the loop, and cannot be said from the closure, are captured: the
// thread that begins the loop hands them over. So a loop without a closure, in a function that is
// called from a region, has costs too.
//
// What an iteration loads may be loaded before the loop if every iteration loads it, if nothing
// that the same iteration does before may change it, and if it is nothing of one thread's own.
// (What other iterations write is no matter: an iteration that reads it races with them.) If it may
// have been changed through another pointer the value may be stale: it may be counted with, but is
// no part of an address, and nothing is divided by it.
#pragma once

#include "plugin.hpp"

#include "calls.hpp"
#include "cfgloop.h"
#include "memory.hpp"
#include "statements.hpp"
#include "tree-ssa-loop.h"

#include <map>
#include <vector>

namespace doall::plugin {

// A loop whose iterations the runtime deals, in SSA.
struct dealt_loop {
  gcall* start = nullptr;            // the call that begins it
  class loop* chunk = nullptr;       // asks for ranges
  class loop* iterations = nullptr;  // runs one range
  bool collapsed = false;            // its number is that of several loops

  // Which of the call's arguments are which: it is one of the runtime's or of entries.hpp.
  unsigned begin_at = 0;
  unsigned first_at = 0;
  unsigned note_at = 0;

  tree begin() const { return gimple_call_arg(start, begin_at); }
  tree step() const { return gimple_call_arg(start, begin_at + 2); }
  tree first() const { return gimple_call_arg(start, first_at); }
  tree note() const { return gimple_call_arg(start, note_at); }
};

// A value of the function that has the loop, and the variable of the cost function's that has it.
struct captured {
  tree value;
  tree variable;
};

// Whether the statement stands in an iteration.
bool is_inside(const dealt_loop& loop, const gimple* s);

// Whether the statement loads the place where the runtime writes a range's first iteration.
bool loads_first(const dealt_loop& loop, const gimple* s);

// Whether the value comes from the range's first iteration, by arithmetic alone.
bool comes_from_first(const dealt_loop& loop, tree value);

// A statement of a block; null: its end.
struct place {
  basic_block block;
  const gimple* statement;
};

class slice {
 public:
  // `context` and `k` are the parameters of `function`, which will have the expressions.
  slice(const dealt_loop& loop, tree function, tree context, tree k,
        std::vector<captured>& captures)
      : loop_(loop), function_(function), context_(context), k_(k), captures_(captures) {}

  // The value as an expression; null: it cannot be said, and why() says why.
  tree of(tree value);
  const char* why() const { return why_; }
  void forget_refusal() { why_ = nullptr; }

  // An iteration may end the program there, and then does nothing further. So only what each
  // iteration does before, or what cannot fault, may be said. (An earlier iteration may have ended
  // the program, too; but any iteration may be a thread's first.)
  void may_end_at(const std::vector<place>& ends) { ends_ = ends; }

  // Lets `round`, a variable of that function, number the rounds of a loop inside the iteration:
  // from then on values of a round may be said. The expressions are to be evaluated only for rounds
  // that the program runs.
  void number(const class loop* inner, tree round) { rounds_[inner] = round; }

  void number_no_more(const class loop* inner) { rounds_.erase(inner); }

  // Whether the block runs in each iteration and, of loops whose rounds are numbered, in each
  // round.
  bool runs_always(basic_block block) const;

  // Values that are said then are the called function's, until it returns.
  void enter(const gimple* call, const callee& function) { in_.push_back({call, &function}); }
  void leave() { in_.pop_back(); }

  // Whether a value that was said since then may be stale.
  void forget_stale() { stale_ = false; }
  bool is_stale() const { return stale_; }

  tree refuse(const char* why) {
    if (why_ == nullptr) why_ = why;
    return NULL_TREE;
  }

 private:
  tree of_name(tree name);
  tree of_definition(tree name);
  tree capture(tree name);
  tree of_phi(gphi* phi);
  tree of_load(gimple* load);
  tree copy_of(tree expression);
  memory_is memory_of(gimple* load) const;
  bool is_ours(const gimple* s) const;
  bool comes_first(const gimple* s) const;
  bool reads_closure(const gimple* load) const;
  tree of_round(gphi* phi, const class loop* inner);
  tree of_parameter(tree name);
  tree of_iterator(gimple* s);
  tree of_length(gimple* call);

  const dealt_loop& loop_;
  tree function_;
  tree context_;
  tree k_;
  std::vector<captured>& captures_;
  const char* why_ = nullptr;
  std::vector<place> ends_;
  int depth_ = 0;
  int names_said_ = 0;  // in the expression that is made
  int exact_ = 0;       // more than 0: no stale values
  bool stale_ = false;
  std::map<const class loop*, tree> rounds_;
  struct call_of {
    const gimple* call;
    const callee* function;
  };
  std::vector<call_of> in_;  // calls that have been entered

  friend tree replace_names(tree* at, int* deeper, void* data);
};

}  // namespace doall::plugin
