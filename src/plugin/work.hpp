// SPDX-License-Identifier: GPL-3.0-or-later
// What an iteration costs: the sum of its statements, and of each loop inside how often that runs
// times what a round costs (COWS's getWL; Shrivastava and Nandivada).
#pragma once

#include "made_function.hpp"
#include "slice.hpp"

#include <string>
#include <vector>

namespace doall::plugin {

// A sum over the rounds of a loop, whose rounds do not cost the same: of `each` over `round` from 0
// up to `rounds`.
struct summed {
  tree total;
  tree round;
  tree rounds;
  tree each;
};

struct work {
  tree cycles = NULL_TREE;          // as an expression of the closure and k; null: not known
  bool varies = false;              // it is not the same for each iteration
  const char* guard = nullptr;      // the work of which nothing is known stands under a condition
  const char* why = nullptr;        // it is not known
  unsigned HOST_WIDE_INT mean = 0;  // cycles, with branches equally likely; 0: no such number
  std::vector<tree> variables;      // of the function that will have the expression
  std::vector<summed> sums;
  std::vector<captured> captures;  // values that the function gets from whoever begins the loop
  bool uncertain = false;          // what a function costs that it calls is a guess
  bool at_most = false;            // a loop inside may be left early: its rounds are at most those
};

// `context` and `k` are parameters of `function`, which gets the expression.
work work_of(const dealt_loop& loop, tree function, tree context, tree k);

// The expression as C, or nearly so, for people.
std::string in_words(const work& of, tree context, tree k);

}  // namespace doall::plugin
