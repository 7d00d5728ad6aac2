// Task reductions: `reduction(task, ...)` of regions and worksharing constructs,
// `task_reduction` of taskgroups, and the `in_reduction` of the tasks inside.
//
// The compiler describes the variables in arrays of words, chained by [4]:
//   [0] variables   [1] bytes of all of them, for one thread
//   [2] in: alignment; out: the memory, [1] bytes for each thread, zeroed
//   [3] the allocator (ours always)   [4] in: the next array; out: at the end of
//   the chain, the arrays of the enclosing construct   [5] ours: marks the first
//   array of a registration   [6] out: the end of the memory
//   then for each variable: its address, its offset in [1], ours (unused)
// A variable of a task is found by walking the chain: constructs name few.
#pragma once

#include <cstdint>

#include "omp/state.hpp"
#include "tasks/task_engine.hpp"

namespace doall::omp {

// The arrays of the innermost construct around the task; null when there are none.
std::uintptr_t* reductions_around(const task_state& me);

// begin_group() of task_engine.hpp, inside of these.
inline void begin_group(task_state& me) { begin_group(me, reductions_around(me)); }

// Registers `data` inside `outer` (may be null): with new memory for `threads` threads, or with
// that of `first_workers`, the arrays of the same construct that another thread has registered.
void register_reductions(std::uintptr_t* data, std::uintptr_t* outer, std::uintptr_t* first_workers,
                         unsigned threads);

}  // namespace doall::omp
