// A task as Clang describes it: kmp_task_t, behind a header of ours, in the payload of an engine's
// task. The compiler's private variables lie behind kmp_task_t, then the pointers to shared ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/llvm/ident.hpp"
#include "omp/state.hpp"
#include "tasks/task_run.hpp"

namespace doall::omp {

struct kmp_task_t;
using kmp_routine = std::int32_t (*)(std::int32_t gtid, kmp_task_t* of);

union kmp_task_word {
  std::int32_t priority;
  kmp_routine destructors;
};

struct kmp_task_t {
  void* shared;
  kmp_routine routine;
  std::int32_t part;
  kmp_task_word destructors;
  kmp_task_word priority;
};

// The flags that __kmpc_omp_task_alloc() is passed.
enum kmp_task_flag : std::int32_t {
  kmp_task_tied = 1,
  kmp_task_final = 2,
  kmp_task_merged = 4,
  kmp_task_destructors = 8,
  kmp_task_proxy = 16,
  kmp_task_priority = 32,
  kmp_task_detachable = 64,
  kmp_task_has_event = kmp_task_proxy | kmp_task_detachable,
};

// As large as a cache line, so that private variables lie as aligned as the payload.
struct alignas(64) kmp_header {
  task* engine;              // of the payload that was allocated, not of a copy
  std::size_t bytes;         // of kmp_task_t and the private variables
  std::size_t shared_bytes;  // of what lies behind them
  std::int32_t flags;
  bool goes_on;  // an untied task has asked for its next part
  std::size_t all() const { return sizeof(kmp_header) + bytes + shared_bytes; }
};

inline kmp_header& header_of(kmp_task_t* t) { return reinterpret_cast<kmp_header*>(t)[-1]; }
inline kmp_task_t* task_behind(void* header) {
  return reinterpret_cast<kmp_task_t*>(static_cast<kmp_header*>(header) + 1);
}

// Points the task to its shared variables, where they lie.
inline void place_shared(kmp_task_t* t) {
  const kmp_header& h = header_of(t);
  t->shared = h.shared_bytes == 0 ? nullptr : reinterpret_cast<std::byte*>(t) + h.bytes;
}

task_options options_of(const kmp_task_t* t);

// An untied task's routine returns at each of its scheduling points, after it has submitted the
// task anew to go on there: the thread goes on at once.
inline void run_parts(std::int32_t gtid, kmp_task_t* t) {
  do {
    header_of(t).goes_on = false;
    if (t->routine != nullptr) [[likely]]  // none: a taskwait's dependences under nowait
      t->routine(gtid, t);
  } while (header_of(t).goes_on);
}

// As run_parts(), for a task with objects: of one that is discarded these are destroyed, no more.
// One with an event is executed, for its code may be what fulfills that.
inline void run_and_destroy(std::int32_t gtid, kmp_task_t* t) {
  if ((header_of(t).flags & kmp_task_has_event) != 0 || !is_discarded(self())) run_parts(gtid, t);
  t->destructors.destructors(gtid, t);
}

// An engine's task_function for such a payload.
inline void run_kmp_task(void* payload) {
  kmp_task_t* const t = task_behind(payload);
  const std::int32_t gtid = global_thread_number();
  if ((header_of(t).flags & kmp_task_destructors) != 0) [[unlikely]]
    run_and_destroy(gtid, t);
  else
    run_parts(gtid, t);
}

}  // namespace doall::omp
