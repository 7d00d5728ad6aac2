// Explicit tasks. The encountering thread executes them immediately ("undeferred", which the
// standard allows). So siblings run in order, and a task's children end before the task:
// dependences are met, and taskwait and taskgroup have nothing to wait for.
#pragma once

#include <cstddef>
#include <memory>

#include "omp/state.hpp"

namespace doall::omp {

// GOMP_TASK_FLAG_* of GCC's compiler.
enum task_flag : unsigned {
  task_final = 1U << 1,
  task_up = 1U << 8,
  task_grainsize = 1U << 9,
  task_nogroup = 1U << 11,
  task_reduction = 1U << 12,
  task_detach = 1U << 13,
  task_strict = 1U << 14,
};

using task_function = void (*)(void*);
using task_copy_function = void (*)(void* to, void* from);

// A running task: it has its own settings and its own hold on nestable locks, in its parent's team
// and on its thread.
class explicit_task {
 public:
  explicit_task(const task_state& parent, unsigned flags);

 private:
  task_state state_;
};

// Memory for the data of one task at a time, aligned as the task needs.
class task_data {
 public:
  task_data(long bytes, long alignment);

  // Copies `original`, with the compiler's function if there is one.
  void* copy(void* original, task_copy_function copy);

 private:
  std::size_t bytes_;
  std::unique_ptr<std::byte[]> memory_;
  void* aligned_;
};

}  // namespace doall::omp
