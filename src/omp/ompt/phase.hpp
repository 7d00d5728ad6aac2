// Whether a tool may want to know of events: the one word that the engine's paths test.
//
// The word is 0 when no tool is used. It begins as `undecided`, which is not 0: so the first event
// of the process takes the slow path of its hook, and that looks for a tool (tool.hpp). A program
// that cannot have one is decided while the library is loaded.
//
// Cost without a tool: a load, a test and a branch that is never taken.
#pragma once

#include "base/sync.hpp"

namespace doall::omp::ompt {

enum phase : int { off = 0, undecided, deciding, on };

// Hidden, so that a test needs no look at the global offset table.
[[gnu::visibility("hidden")]] extern constinit sync::atomic<int> current_phase;

inline bool is_watched() {
  // (1) acquire; pairs with tool (2): what the start of the tool has set up
  return current_phase.load(sync::acquire) != off;
}

}  // namespace doall::omp::ompt
