// An outermost loop of the native door: whether it is shared, and how. What a loop gains is
// decide/small_loops.hpp's; this file asks, times the runs that are due, and tries what is unknown.
#pragma once

#include <cstdint>

#include "doall/abi.h"

namespace doall::native {

// Runs a loop of at least one iteration on up to `threads` workers. Returns its verdict.
// A function of its own, so that levels of nested loops do not carry its stack frame.
int run_outermost(const doall_loop& loop, std::uint32_t threads);

}  // namespace doall::native
