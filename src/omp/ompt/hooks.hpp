// What the engine and the entry points of both ABIs call where something happens that a tool may
// want to know.
//
// A hook tests one word (phase.hpp). Without a tool that is all it costs. With one, or before that
// is decided, it calls a function that is never inlined: watched_...() for those that stand in for
// an action of the engine, which they call themselves, between the events that belong to it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "barrier/half_barrier.hpp"
#include "doall/omp-tools.h"
#include "omp/locks.hpp"
#include "omp/ompt/caller.hpp"
#include "omp/ompt/phase.hpp"
#include "omp/reductions.hpp"
#include "omp/region.hpp"
#include "tasks/task_engine.hpp"

namespace doall::omp {
enum class loop_kind;  // loops.hpp, like the next
void wait_for_turn(task_state& me);
}  // namespace doall::omp

namespace doall::omp::ompt {

#define DOALL_NEVER_HOT [[gnu::noinline, gnu::cold]]

// Threads (regions.cpp)

// A thread of the program's meets OpenMP for the first time.
DOALL_NEVER_HOT void watched_thread();
inline void thread_begins() {
  if (is_watched()) watched_thread();
}

// Regions (regions.cpp). Called by the encountering thread: before the team begins, before and
// after its own part, and when all have ended. `frame` is in the function that calls its part.

DOALL_NEVER_HOT void watched_region_begins(barrier::task& work, const region& r, const void* frame,
                                           std::uint32_t wished, const whole_region_loop* loop);
inline void region_begins(barrier::task& work, const region& r, const team_wish& wish,
                          const whole_region_loop* loop) {
  if (is_watched()) [[unlikely]]
    watched_region_begins(work, r, &wish, wish.num_threads, loop);
}
DOALL_NEVER_HOT void watched_part_begins();
inline void part_begins() {
  if (is_watched()) [[unlikely]]
    watched_part_begins();
}
DOALL_NEVER_HOT void watched_part_ends();
inline void part_ends() {
  if (is_watched()) [[unlikely]]
    watched_part_ends();
}
DOALL_NEVER_HOT void watched_region_ends();
inline void region_ends() {
  if (is_watched()) [[unlikely]]
    watched_region_ends();
}
// The next combined region is a sections construct, not a loop.
DOALL_NEVER_HOT void watched_next_is_sections();
inline void next_region_is_sections() {
  if (is_watched()) [[unlikely]]
    watched_next_is_sections();
}

// A league of teams, and each of its teams, whose initial task the calling thread executes.
class league {
 public:
  explicit league(std::uint32_t teams) {
    if (is_watched()) [[unlikely]]
      begin(teams);
  }
  ~league() {
    if (record_ != nullptr) [[unlikely]]
      end();
  }
  league(const league&) = delete;
  league& operator=(const league&) = delete;

  void team_begins(std::uint32_t number) {
    if (record_ != nullptr) [[unlikely]]
      begin_team(number);
  }
  void team_ends(std::uint32_t number) {
    if (record_ != nullptr) [[unlikely]]
      end_team(number);
  }

 private:
  DOALL_NEVER_HOT void begin(std::uint32_t teams);
  DOALL_NEVER_HOT void end();
  DOALL_NEVER_HOT void begin_team(std::uint32_t number);
  DOALL_NEVER_HOT void end_team(std::uint32_t number);
  std::shared_ptr<struct parallel_record> record_;
};

// Worksharing (worksharing.cpp)

DOALL_NEVER_HOT void watched_work(ompt_work_t kind, ompt_scope_endpoint_t end, std::uint64_t count,
                                  const call& from);
[[gnu::always_inline]] inline void work_begins(ompt_work_t kind, std::uint64_t count = 1) {
  if (is_watched()) [[unlikely]]
    watched_work(kind, ompt_scope_begin, count, here());
}
// Does nothing if the task is in no such construct.
[[gnu::always_inline]] inline void work_ends(ompt_work_t kind) {
  if (is_watched()) [[unlikely]]
    watched_work(kind, ompt_scope_end, 0, here());
}

// A thread enters a worksharing loop or sections, and leaves it.
DOALL_NEVER_HOT void watched_loop_begins(task_state& me, loop_kind loop, std::uint64_t iterations,
                                         const void* code);
inline void loop_begins(task_state& me, loop_kind loop, std::uint64_t iterations,
                        const void* code) {
  if (is_watched()) [[unlikely]]
    watched_loop_begins(me, loop, iterations, code);
}
DOALL_NEVER_HOT void watched_loop_ends();
// The same for a static loop of LLVM's ABI, and for distribute.
DOALL_NEVER_HOT void watched_static_loop(ompt_work_t kind, std::uint64_t iterations,
                                         const void* code);
inline void static_loop_begins(ompt_work_t kind, std::uint64_t iterations, const void* code) {
  if (is_watched()) [[unlikely]]
    watched_static_loop(kind, iterations, code);
}
// What the thread has got of it: its block, or its first chunk.
DOALL_NEVER_HOT void watched_static_chunk(ompt_work_t kind, std::uint64_t first,
                                          std::uint64_t iterations);
inline void loop_ends() {
  if (is_watched()) [[unlikely]]
    watched_loop_ends();
}
// The thread has been dealt a range, or none is left; hands the answer on. Only in paths that are
// slow anyway: with a tool loops take these.
DOALL_NEVER_HOT void watched_chunk(const task_state& me, std::uint64_t first, std::uint64_t last);
inline bool chunk(const task_state& me, bool is_any, const std::uint64_t* first,
                  const std::uint64_t* last) {
  if (is_watched() && is_any) [[unlikely]]
    watched_chunk(me, *first, *last);
  return is_any;
}

// Whether the thread executes the single construct. In GCC's ABI nothing ends that: then the end is
// told at the thread's next event that can only come after it.
DOALL_NEVER_HOT bool watched_single(const call& from);
[[gnu::always_inline]] inline bool single() {
  if (is_watched()) [[unlikely]]
    return watched_single(here());
  return begin_single(self());
}
DOALL_NEVER_HOT void watched_single_ends();
inline void single_ends() {
  if (is_watched()) [[unlikely]]
    watched_single_ends();
}

DOALL_NEVER_HOT void watched_masked(ompt_scope_endpoint_t end, const call& from);
// Hands the answer on.
[[gnu::always_inline]] inline bool masked_begins(bool is_it) {
  if (is_watched()) [[unlikely]] {
    if (is_it) watched_masked(ompt_scope_begin, here());
  }
  return is_it;
}
[[gnu::always_inline]] inline void masked_ends() {
  if (is_watched()) [[unlikely]]
    watched_masked(ompt_scope_end, here());
}

// Waits (waits.cpp)

DOALL_NEVER_HOT bool watched_barrier(ompt_sync_region_t kind, const call& from);
// team_barrier() of the calling thread.
[[gnu::always_inline]] inline bool barrier(ompt_sync_region_t kind) {
  if (is_watched()) [[unlikely]]
    return watched_barrier(kind, here());
  return team_barrier(self());
}

// The same of a kind that takes time to find out.
template <class Kind>
[[gnu::always_inline]] inline bool barrier(Kind kind) {
  if (is_watched()) [[unlikely]]
    return watched_barrier(kind(), here());
  return team_barrier(self());
}

// The same, for constructs in which a thread uses what lies on another's stack: region.hpp.
[[gnu::always_inline]] inline bool meet_all(ompt_sync_region_t kind) {
  self().meets_all = true;
  return barrier(kind);
}

DOALL_NEVER_HOT void watched_taskwait(const dependences* on, const call& from);
[[gnu::always_inline]] inline void taskwait() {
  if (is_watched()) [[unlikely]]
    return watched_taskwait(nullptr, here());
  wait_for_children(self());
}
[[gnu::always_inline]] inline void taskwait(dependences on) {
  if (is_watched()) [[unlikely]]
    return watched_taskwait(&on, here());
  wait_for_dependences(self(), on);
}

DOALL_NEVER_HOT void watched_group(ompt_scope_endpoint_t end, task_state& me, const call& from);
[[gnu::always_inline]] inline void group_begins(task_state& me) {
  if (is_watched()) [[unlikely]]
    return watched_group(ompt_scope_begin, me, here());
  begin_group(me);
}
[[gnu::always_inline]] inline void group_ends(task_state& me) {
  if (is_watched()) [[unlikely]]
    return watched_group(ompt_scope_end, me, here());
  end_group(me);
}

DOALL_NEVER_HOT void watched_reduction(ompt_scope_endpoint_t end, const call& from);
[[gnu::always_inline]] inline void reduction(ompt_scope_endpoint_t end) {
  if (is_watched()) [[unlikely]]
    watched_reduction(end, here());
}

// Mutual exclusion (mutexes.cpp). Kinds say whether the lock is a lock, a critical section, ...

DOALL_NEVER_HOT void watched_lock(futex_lock& lock, ompt_mutex_t kind, unsigned hint,
                                  const call& from);
[[gnu::always_inline]] inline void lock(futex_lock& lock, ompt_mutex_t kind, unsigned hint = 0) {
  if (is_watched()) [[unlikely]]
    return watched_lock(lock, kind, hint, here());
  acquire(lock);
}
DOALL_NEVER_HOT bool watched_test(futex_lock& lock, const call& from);
[[gnu::always_inline]] inline bool test(futex_lock& lock) {
  if (is_watched()) [[unlikely]]
    return watched_test(lock, here());
  return lock.try_lock();
}
DOALL_NEVER_HOT void watched_unlock(futex_lock& lock, ompt_mutex_t kind, const call& from);
[[gnu::always_inline]] inline void unlock(futex_lock& lock, ompt_mutex_t kind) {
  if (is_watched()) [[unlikely]]
    return watched_unlock(lock, kind, here());
  lock.unlock();
}
DOALL_NEVER_HOT void watched_nest_lock(nest_lock& lock, const void* owner, const call& from);
[[gnu::always_inline]] inline void lock(nest_lock& lock, const void* owner) {
  if (is_watched()) [[unlikely]]
    return watched_nest_lock(lock, owner, here());
  lock.lock(owner);
}
DOALL_NEVER_HOT int watched_nest_test(nest_lock& lock, const void* owner, const call& from);
[[gnu::always_inline]] inline int test(nest_lock& lock, const void* owner) {
  if (is_watched()) [[unlikely]]
    return watched_nest_test(lock, owner, here());
  return lock.try_lock(owner);
}
DOALL_NEVER_HOT void watched_nest_unlock(nest_lock& lock, const call& from);
[[gnu::always_inline]] inline void unlock(nest_lock& lock) {
  if (is_watched()) [[unlikely]]
    return watched_nest_unlock(lock, here());
  lock.unlock();
}
DOALL_NEVER_HOT void watched_lock_made(const void* lock, ompt_mutex_t kind, unsigned hint,
                                       const call& from);
[[gnu::always_inline]] inline void lock_made(const void* lock, ompt_mutex_t kind,
                                             unsigned hint = 0) {
  if (is_watched()) [[unlikely]]
    watched_lock_made(lock, kind, hint, here());
}
DOALL_NEVER_HOT void watched_lock_ends(const void* lock, ompt_mutex_t kind, const call& from);
[[gnu::always_inline]] inline void lock_ends(const void* lock, ompt_mutex_t kind) {
  if (is_watched()) [[unlikely]]
    watched_lock_ends(lock, kind, here());
}
// An ordered region, whose begin waits for the iteration's turn.
DOALL_NEVER_HOT void watched_ordered(ompt_scope_endpoint_t end, const call& from);
[[gnu::always_inline]] inline void ordered_begins() {
  if (is_watched()) [[unlikely]]
    return watched_ordered(ompt_scope_begin, here());
  task_state* const me = current_task;  // null: nor is it in a loop
  if (me != nullptr && me->loop.waits_for_turn()) wait_for_turn(*me);
}
[[gnu::always_inline]] inline void ordered_ends() {
  if (is_watched()) [[unlikely]]
    watched_ordered(ompt_scope_end, here());
}

// A doacross loop: the iteration that is about to post itself (source), or that was waited for
// (sink), as the compiler numbers its indices.
DOALL_NEVER_HOT void watched_doacross(ompt_dependence_type_t kind,
                                      std::span<const std::uint64_t> iteration);

// Explicit tasks (tasks.cpp; watch.hpp has what the engine tells of them)

DOALL_NEVER_HOT void watched_yield(task_state& me);
inline void taskyield(task_state& me) {
  if (is_watched()) [[unlikely]]
    return watched_yield(me);
  yield_task(me);
}

// Others (others.cpp)

DOALL_NEVER_HOT void watched_flush(const call& from);
[[gnu::always_inline]] inline void flushed() {
  if (is_watched()) [[unlikely]]
    watched_flush(here());
}
// `construct` is a bit of cancelled_construct.
DOALL_NEVER_HOT void watched_cancel(int construct, ompt_cancel_flag_t how);
inline void cancelled(int construct) {
  if (is_watched()) [[unlikely]]
    watched_cancel(construct, ompt_cancel_activated);
}
// Hands the answer on.
inline bool found_cancelled(int construct, bool is) {
  if (is) [[unlikely]] {
    if (is_watched()) watched_cancel(construct, ompt_cancel_detected);
  }
  return is;
}
DOALL_NEVER_HOT void watched_error(ompt_severity_t severity, const char* message,
                                   std::size_t length);
inline void error(ompt_severity_t severity, const char* message, std::size_t length) {
  if (is_watched()) watched_error(severity, message, length);
}

#undef DOALL_NEVER_HOT

}  // namespace doall::omp::ompt
