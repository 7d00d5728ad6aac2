// Whether a tool may want to know of events: the values of the one word that paths test.
//
// The word is 0 when no tool is used. It begins as `undecided`, which is not 0: so the first event
// of the process takes the slow path of its hook, and that looks for a tool (tool.hpp). A program
// that cannot have one is decided while the library is loaded.
//
// Cost without a tool: a load, a test and a branch that is never taken.
#pragma once

#include "tasks/watch.hpp"

namespace doall::omp::ompt {

enum phase : int { off = 0, undecided, deciding, on };

inline bool is_watched() { return tasks::watch::is_on(); }

}  // namespace doall::omp::ompt
