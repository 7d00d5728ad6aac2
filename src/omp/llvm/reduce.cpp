// Reductions as Clang compiles them: each thread has values of its own, and asks how to combine
// them. The answers: 1, call the end function when you have combined yours with the shared ones; 2,
// combine by atomic operations; 0, another thread does it for you.
//
//   alone            a team of one: 1, and nothing to wait for
//   by_atomics       if the compiler has such code: 2
//   under_lock       else: 1 for each thread, one after the other
//   by_first_thread  for the same bits in each run, in teams of one size
//                    (KMP_DETERMINISTIC_REDUCTION): thread 0 combines the values of the others with
//                    its own, in the order of a tree over the threads' numbers; it is told 1, and
//                    they 0
//
// A thread's values lie on its stack, and how large they are only the compiled code knows, so they
// cannot be left behind: under by_first_thread all threads wait until thread 0 has read them, also
// when the region is cancelled. Threads that have left it by then add nothing.
// Why the join does not combine: docs/investigations/2026-11-25-reductions-in-the-join.md.
#include "omp/llvm/environment.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/locks.hpp"
#include "omp/ompt/hooks.hpp"
#include "omp/region.hpp"

namespace doall::omp {
namespace {

using combine_function = void (*)(void* into, void* from);

constexpr ompt_sync_region_t of_runtime = ompt_sync_region_barrier_implementation;

futex_lock& lock_at(void* name) { return *static_cast<futex_lock*>(name); }

task_state::combining choose(const task_state& me, const ident_t* at, bool has_function) {
  if (me.team->size == 1) return task_state::alone;
  const bool has_atomics = at != nullptr && (at->flags & ident_atomic_reduce) != 0;
  switch (kmp_environment().reduction) {
    case reduction_form::first_thread:
      if (has_function) return task_state::by_first_thread;
      break;
    case reduction_form::atomics: break;
    case reduction_form::lock: return task_state::under_lock;
    case reduction_form::best: break;
  }
  return has_atomics ? task_state::by_atomics : task_state::under_lock;
}

// Combines along a binary tree over the numbers, so that the order is that of no thread's arrival.
void combine_all(const task_state& me, combine_function combine) {
  const std::uint32_t size = me.team->size;
  void** values = me.team->reduced.get();
  for (std::uint32_t step = 1; step < size; step *= 2) {
    for (std::uint32_t i = 0; i + step < size; i += 2 * step) {
      if (values[i + step] == nullptr) continue;
      if (values[i] == nullptr) {
        values[i] = values[i + step];
      } else {
        combine(values[i], values[i + step]);
      }
    }
  }
}

std::int32_t begin_reduction(const ident_t* at, void* values, combine_function combine, void* name,
                             bool waits) {
  task_state& me = self();
  me.reducing = choose(me, at, combine != nullptr);
  switch (me.reducing) {
    case task_state::alone: return 1;
    case task_state::by_atomics: return 2;
    case task_state::under_lock: acquire(lock_at(name)); return 1;
    case task_state::by_first_thread: break;
  }
  me.team->reduced[me.index] = values;
  ompt::meet_all(of_runtime);
  if (me.index == 0) combine_all(me, combine);
  ompt::meet_all(of_runtime);  // until thread 0 has read the values
  me.team->reduced[me.index] = nullptr;
  if (me.index == 0) return 1;
  if (waits) ompt::barrier(of_runtime);  // until thread 0 calls the end function
  return 0;
}

// The compiled code calls no end function after the answer 0, nor after 2 if nobody waits.
[[gnu::noinline, gnu::cold]] std::int32_t watched_reduction(const ident_t* at, void* values,
                                                            combine_function combine, void* name,
                                                            bool waits) {
  ompt::reduction(ompt_scope_begin);
  const std::int32_t answer = begin_reduction(at, values, combine, name, waits);
  const bool has_end = answer == 1 || (answer == 2 && waits);
  if (!has_end) ompt::reduction(ompt_scope_end);
  return answer;
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

std::int32_t __kmpc_reduce_nowait(ident_t* at, gtid_t, std::int32_t /*count*/,
                                  std::size_t /*bytes*/, void* values, combine_function combine,
                                  void* name) {
  if (ompt::is_watched()) [[unlikely]]
    return watched_reduction(at, values, combine, name, false);
  return begin_reduction(at, values, combine, name, false);
}
void __kmpc_end_reduce_nowait(ident_t*, gtid_t, void* name) {
  if (self().reducing == task_state::under_lock) lock_at(name).unlock();
  ompt::reduction(ompt_scope_end);
}

std::int32_t __kmpc_reduce(ident_t* at, gtid_t, std::int32_t /*count*/, std::size_t /*bytes*/,
                           void* values, combine_function combine, void* name) {
  if (ompt::is_watched()) [[unlikely]]
    return watched_reduction(at, values, combine, name, true);
  return begin_reduction(at, values, combine, name, true);
}
void __kmpc_end_reduce(ident_t*, gtid_t, void* name) {
  task_state& me = self();
  if (me.reducing == task_state::under_lock) lock_at(name).unlock();
  ompt::reduction(ompt_scope_end);
  if (me.reducing != task_state::alone) ompt::barrier(of_runtime);
}

}  // extern "C"
