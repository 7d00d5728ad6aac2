// Barriers, single, masked, critical sections, sections dealt one at a time, and what the compiled
// code announces without needing an answer.
#include "omp/llvm/ident.hpp"
#include "omp/locks.hpp"
#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"

using namespace doall::omp;

namespace {

// The compiler gives each critical section 32 zeroed bytes of the program's.
futex_lock& critical_at(void* name) { return *static_cast<futex_lock*>(name); }

ompt_sync_region_t barrier_kind(const ident_t* at) {
  const std::int32_t flags = at != nullptr ? at->flags : 0;
  if ((flags & ident_barrier_implicit) != 0) return ompt_sync_region_barrier_implicit_workshare;
  if ((flags & ident_barrier_explicit) != 0) return ompt_sync_region_barrier_explicit;
  return ompt_sync_region_barrier_implementation;
}

constexpr ompt_sync_region_t of_runtime = ompt_sync_region_barrier_implementation;

}  // namespace

extern "C" {

void __kmpc_barrier(ident_t* at, gtid_t) {
  ompt::barrier([at] { return barrier_kind(at); });
}

// A barrier that leaves thread 0 (the answer is 1) to run before the others: until it calls
// __kmpc_end_barrier_master(), or without waiting for it.
std::int32_t __kmpc_barrier_master(ident_t*, gtid_t) {
  ompt::barrier(of_runtime);
  if (self().index == 0) return 1;
  ompt::barrier(of_runtime);
  return 0;
}
void __kmpc_end_barrier_master(ident_t*, gtid_t) { ompt::barrier(of_runtime); }
std::int32_t __kmpc_barrier_master_nowait(ident_t*, gtid_t) {
  ompt::barrier(of_runtime);
  return self().index == 0;
}

std::int32_t __kmpc_single(ident_t*, gtid_t) { return ompt::single(); }
void __kmpc_end_single(ident_t*, gtid_t) { ompt::single_ends(); }

// The thread that ran the single construct passes `did_it`; `copy` copies from its data to those of
// another thread.
void __kmpc_copyprivate(ident_t*, gtid_t, std::size_t /*bytes*/, void* data,
                        void (*copy)(void* to, void* from), std::int32_t did_it) {
  task_state& me = self();
  if (did_it != 0) hand_round(me, data);
  ompt::meet_all(of_runtime);
  void* const from = handed_round(me);
  if (did_it == 0 && from != nullptr) copy(data, from);
  ompt::meet_all(of_runtime);
}
// The same in steps: the compiled code copies, and waits.
void* __kmpc_copyprivate_light(ident_t*, gtid_t, void* data) {
  task_state& me = self();
  if (data != nullptr) hand_round(me, data);
  ompt::meet_all(of_runtime);
  me.meets_all = true;  // until all have copied
  return handed_round(me);
}

std::int32_t __kmpc_master(ident_t*, gtid_t) { return ompt::masked_begins(self().index == 0); }
void __kmpc_end_master(ident_t*, gtid_t) { ompt::masked_ends(); }
std::int32_t __kmpc_masked(ident_t*, gtid_t, std::int32_t filter) {
  return ompt::masked_begins(self().index == static_cast<std::uint32_t>(filter));
}
void __kmpc_end_masked(ident_t*, gtid_t) { ompt::masked_ends(); }

void __kmpc_scope(ident_t*, gtid_t, void* /*reserved*/) { ompt::work_begins(ompt_work_scope); }
void __kmpc_end_scope(ident_t*, gtid_t, void* /*reserved*/) { ompt::work_ends(ompt_work_scope); }

void __kmpc_critical(ident_t*, gtid_t, void* name) {
  ompt::lock(critical_at(name), ompt_mutex_critical);
}
void __kmpc_critical_with_hint(ident_t*, gtid_t, void* name, std::uint32_t hint) {
  ompt::lock(critical_at(name), ompt_mutex_critical, hint);
}
void __kmpc_end_critical(ident_t*, gtid_t, void* name) {
  ompt::unlock(critical_at(name), ompt_mutex_critical);
}

void __kmpc_flush(ident_t*) {
  // (1) seq_cst; alone: the program's accesses around it are what it orders
  doall::sync::fence();
  ompt::flushed();
}

// Sections, numbered from 0, that threads ask for. The number of sections comes with each question.
std::int32_t __kmpc_sections_init(ident_t*, gtid_t) {
  self().loop.dealt = workshare::not_here;
  return 0;
}
std::int32_t __kmpc_next_section(ident_t* at, gtid_t, std::int32_t sections) {
  task_state& me = self();
  workshare& w = me.loop;
  if (w.dealt == workshare::not_here) {
    const auto n = static_cast<std::uint64_t>(sections > 0 ? sections : 0);
    begin_loop(me, {loop_kind::sections, 1, loop_order::monotonic},
               {n, {0, 1, n}, place_of(at, HERE)});
    w.dealt = workshare::block;
  }
  if (w.dealt == workshare::block) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    if (w.alone) {
      if (const std::uint64_t next = w.next_alone(); next != 0)
        return static_cast<std::int32_t>(next - 1);
    } else if (next_range(me, &begin, &end)) {
      return static_cast<std::int32_t>(begin);
    }
  }
  w.dealt = workshare::nothing;
  return sections;
}
void __kmpc_end_sections(ident_t*, gtid_t) {
  task_state& me = self();
  if (me.loop.dealt != workshare::not_here) end_loop_nowait(me);
  me.loop.dealt = workshare::not_here;
}

}  // extern "C"
