// Task reductions as Clang compiles them (task_reductions.cpp).
#pragma once

namespace doall::omp {

struct task_state;
struct group_reductions;

// Combines what the threads have into the variables of the group that has ended, and frees it.
// Null: the group has none.
void combine_group(task_state& me, group_reductions* ended);

}  // namespace doall::omp
