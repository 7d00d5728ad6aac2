// SPDX-License-Identifier: GPL-3.0-or-later
// How often a loop inside of an iteration runs.
#pragma once

#include "plugin.hpp"

#include "cfgloop.h"

#include <vector>

namespace doall::plugin {

class slice;

// How often a loop runs its body until it is left by one of its exits, in values of the function.
struct count_of_loop {
  tree latch_runs = NULL_TREE;  // as GCC knows it, or:
  tree from = NULL_TREE;        // what is compared counts from here
  tree to = NULL_TREE;          // up or down to there, as it is in the first round
  tree type = NULL_TREE;        // in this type; null: in one that holds all numbers
  tree step = NULL_TREE;        // by this, added or taken away, or:
  unsigned bits = 0;            // is moved by so many bits in each round
  bool square = false;          // its square is compared
  bool up = true;
  bool with_end = false;
  bool once_more = false;  // the loop asks at its end

  bool is_known() const { return latch_runs != NULL_TREE || to != NULL_TREE; }
  unsigned HOST_WIDE_INT constant() const;  // 0: it is none
};

// The edges by which the loop is left, but for those after which the program ends.
std::vector<edge> exits_of(const class loop* l);

// The edges by which it is left from within a round, also those after which the program ends, but
// for what a sanitizer checks.
std::vector<edge> early_exits_of(const class loop* l);

// Whether one edge alone leaves it, but for what a sanitizer checks.
bool has_one_exit(const class loop* l);

count_of_loop count_before(class loop* l, edge leaves);

// The count as `values` says what it is made of; null: it cannot be said.
tree say(slice& values, const count_of_loop& count);

// How often the loop runs its body; null: it is not known, and `values` says why. Of a loop with
// several exits, how often at most (at_most becomes true): by each exit that every round asks at,
// and whose count is known.
tree rounds_of(slice& values, class loop* l, bool& at_most);

}  // namespace doall::plugin
