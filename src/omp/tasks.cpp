#include "omp/tasks.hpp"

#include <cstring>

#include "omp/fatal.hpp"
#include "omp/reductions.hpp"

namespace doall::omp {

explicit_task::explicit_task(const task_state& parent, unsigned flags)
    : state_(*parent.team, parent.index) {
  state_.settings = parent.settings;
  state_.group = parent.group;
  state_.in_explicit = true;
  state_.in_final = parent.in_final || (flags & task_final) != 0;
  state_.team_number = parent.team_number;
  state_.team_count = parent.team_count;
}

task_data::task_data(long bytes, long alignment) : bytes_(static_cast<std::size_t>(bytes)) {
  const auto aligned_to = static_cast<std::size_t>(alignment < 1 ? 1 : alignment);
  std::size_t room = bytes_ + aligned_to;
  memory_ = std::make_unique_for_overwrite<std::byte[]>(room);
  aligned_ = memory_.get();
  std::align(aligned_to, bytes_, aligned_, room);
}

void* task_data::copy(void* original, task_copy_function copy) {
  if (copy != nullptr) {
    copy(aligned_, original);
  } else {
    std::memcpy(aligned_, original, bytes_);
  }
  return aligned_;
}

}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

// The compiler makes `data` for this task alone: it is copied only if there is a copy function.
// Priorities are ignored: they are hints about an order, which is fixed here.
void GOMP_task(task_function function, void* data, task_copy_function copy, long bytes,
               long alignment, bool /*deferrable*/, unsigned flags, void** /*dependences*/,
               int /*priority*/, void* /*event*/) {
  if ((flags & task_detach) != 0) not_there_yet("a task with a detach clause", "uses one");
  const explicit_task task(self(), flags);
  if (copy == nullptr) {
    function(data);
    return;
  }
  task_data copied(bytes, alignment);
  function(copied.copy(data, copy));
}

void GOMP_taskwait(void) {}
void GOMP_taskwait_depend(void** /*dependences*/) {}
void GOMP_taskyield(void) {}

void GOMP_taskgroup_start(void) { begin_group(self()); }
void GOMP_taskgroup_end(void) { end_group(self()); }

}  // extern "C"
