// SPDX-License-Identifier: GPL-3.0-or-later
// Says a value of a loop's iteration again, as an expression of the closure and the iteration's
// number: so that it can be computed before the loop.
//
// What an iteration loads may be loaded before the loop if every iteration loads it, if nothing
// that the same iteration does before may change it, and if it is nothing of one thread's own.
// (What other iterations write is no matter: an iteration that reads it races with them.)
#pragma once

#include "plugin.hpp"

#include "cfgloop.h"

#include <map>

namespace doall::plugin {

// A loop whose iterations the runtime deals, in SSA.
struct dealt_loop {
  gcall* start = nullptr;            // the call that begins it
  class loop* chunk = nullptr;       // asks for ranges
  class loop* iterations = nullptr;  // runs one range
  bool ull = false;                  // counts in unsigned long long

  // The call's arguments.
  tree begin() const { return gimple_call_arg(start, ull ? 1 : 0); }
  tree step() const { return gimple_call_arg(start, ull ? 3 : 2); }
  tree first() const { return gimple_call_arg(start, ull ? 6 : 5); }
};

class slice {
 public:
  // `context` and `k` are the parameters of the function that will have the expressions.
  slice(const dealt_loop& loop, tree context, tree k) : loop_(loop), context_(context), k_(k) {}

  // The value as an expression; null: it cannot be said, and why() says why.
  tree of(tree value);
  const char* why() const { return why_; }
  void forget_refusal() { why_ = nullptr; }

  // Lets `round`, a variable of that function, number the rounds of a loop inside the iteration:
  // from then on values of a round may be said. The expressions are to be evaluated only for rounds
  // that the program runs.
  void number(const class loop* inner, tree round) { rounds_[inner] = round; }

  void number_no_more(const class loop* inner) { rounds_.erase(inner); }

  // Whether the block runs in each iteration and, of loops whose rounds are numbered, in each
  // round.
  bool runs_always(basic_block block) const;

  tree refuse(const char* why) {
    if (why_ == nullptr) why_ = why;
    return NULL_TREE;
  }

 private:
  tree of_name(tree name);
  tree of_phi(gphi* phi);
  tree of_load(gimple* load);
  tree copy_of(tree expression);
  bool is_settled(gimple* load) const;
  tree of_round(gphi* phi, const class loop* inner);

  const dealt_loop& loop_;
  tree context_;
  tree k_;
  const char* why_ = nullptr;
  int depth_ = 0;
  std::map<const class loop*, tree> rounds_;

  friend tree replace_names(tree* at, int* deeper, void* data);
};

}  // namespace doall::plugin
