// SPDX-License-Identifier: GPL-3.0-or-later
// What the functions of the file cost that a loop calls.
#pragma once

#include "plugin.hpp"

#include "rounds.hpp"

#include <set>
#include <vector>

namespace doall::plugin {

// A function whose body is in the file, and that returns: its loops end, and it calls such
// functions alone.
struct callee {
  // Statements that run as often as these loops say, one inside of the other.
  struct part {
    unsigned HOST_WIDE_INT cycles;
    std::vector<count_of_loop> counts;
  };
  unsigned HOST_WIDE_INT cycles = 0;  // with the loops whose counts are constants
  std::vector<part> parts;            // others
  bool uncertain = false;             // it has a loop of a count that is not known
  bool leaves_alone = true;           // it writes no memory
  std::set<basic_block> always;       // the blocks that run in each call
};

// Looks at the functions that this one calls. Not while its own loops are looked at: GCC knows the
// loops of one function at a time.
void look_at_callees(function* f);

// What is known of the function that the statement calls; null: nothing.
const callee* callee_of(const gimple* call);

// Whether nothing says that it returns.
bool may_not_return(const gimple* call);

}  // namespace doall::plugin
