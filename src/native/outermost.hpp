// An outermost loop of the native door: asks decide() what it gets (src/decide/README.md), runs it
// so and tells the site what it took.
#pragma once

#include <cstdint>

#include "doall/abi.h"

namespace doall::native {

// Runs a loop of at least one iteration on up to `threads` workers. Returns its verdict.
// A function of its own, so that levels of nested loops do not carry its stack frame.
int run_outermost(const doall_loop& loop, std::uint32_t threads);

// The same for one that was to be a plain loop in the program's own code, and is late: iterations
// before loop.first have run.
int run_late(const doall_loop& loop, std::uint32_t threads);

}  // namespace doall::native
