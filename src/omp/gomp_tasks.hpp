// What GCC's entry points for tasks and for taskloops share.
#pragma once

#include "omp/state.hpp"
#include "tasks/task_engine.hpp"

namespace doall::omp {

// GOMP_TASK_FLAG_* of GCC's compiler.
enum task_flag : unsigned {
  task_final = 1U << 1,
  task_depend = 1U << 3,
  task_priority = 1U << 4,
  task_up = 1U << 8,
  task_grainsize = 1U << 9,
  task_if = 1U << 10,
  task_nogroup = 1U << 11,
  task_reduction = 1U << 12,
  task_detach = 1U << 13,
  task_strict = 1U << 14,
};

using task_copy_function = void (*)(void* to, void* from);

// Makes the payload from the compiler's data, with the compiler's function if there is one.
void fill_payload(task* t, void* data, task_copy_function copy, long bytes);

}  // namespace doall::omp
