// Cancellation: `cancel` and `cancellation point` for all constructs, if OMP_CANCELLATION is true.
//
// A cancelled region or worksharing construct is a bit in the team's state, a cancelled taskgroup a
// flag in the group. Threads look at them where the program has cancellation points, and:
//   region     its threads leave it from any barrier; tasks that have not begun are discarded. The
//              leader puts barriers and loops in order when all have left
//   loop,      the bit is reset by the last thread to arrive at the construct's barrier, which it
//   sections   must have
//   taskgroup  tasks that have not begun are discarded (discarding.cpp)
#pragma once

#include "omp/state.hpp"
#include "tasks/task_engine.hpp"

namespace doall::omp {

// As GCC passes them.
enum class cancelled_construct : int { parallel = 1, loop = 2, sections = 4, taskgroup = 8 };

// cancel-var.
inline bool may_cancel() { return limits_of_tasks.may_cancel(); }

bool cancel(task_state& me, cancelled_construct what);
bool is_cancelled(const task_state& me, cancelled_construct what);

// Puts a region in order when all threads have left it. Called by its leader. Returns whether the
// region was cancelled: then its loops have new numbers.
bool forget_cancellation(region& r);

}  // namespace doall::omp
