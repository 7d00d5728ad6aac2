// What compiled code asks for beside regions, loops and tasks: cancellation, errors, memory, and
// what concerns devices.
#include <cstring>

#include "omp/api.hpp"
#include "omp/cancellation.hpp"
#include "omp/icv.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"

using namespace doall::omp;

namespace {

// The constructs are numbered from 1 here, and are bits through GCC's door.
cancelled_construct construct_of(std::int32_t kind) {
  constexpr cancelled_construct all[] = {cancelled_construct::parallel, cancelled_construct::loop,
                                         cancelled_construct::sections,
                                         cancelled_construct::taskgroup};
  return all[kind >= 1 && kind <= 4 ? kind - 1 : 0];
}

}  // namespace

extern "C" {

void GOMP_warning(const char* message, std::size_t length);
void GOMP_error(const char* message, std::size_t length);

std::int32_t __kmpc_cancel(ident_t*, gtid_t, std::int32_t construct) {
  return cancel(self(), construct_of(construct));
}
std::int32_t __kmpc_cancellationpoint(ident_t*, gtid_t, std::int32_t construct) {
  const cancelled_construct what = construct_of(construct);
  return ompt::found_cancelled(static_cast<int>(what), is_cancelled(self(), what));
}
int kmp_get_cancellation_status(int construct) {
  return is_cancelled(self(), construct_of(construct)) ? 1 : 0;
}
int kmp_get_cancellation_status_(const int* construct) {
  return kmp_get_cancellation_status(*construct);
}
std::int32_t __kmpc_cancel_barrier(ident_t*, gtid_t) {
  task_state& me = self();
  leave_dispatched(me);
  return ompt::barrier(ompt_sync_region_barrier_implicit_workshare);
}

void __kmpc_error(ident_t*, std::int32_t severity, const char* message) {
  constexpr std::int32_t fatal_severity = 2;
  const std::size_t length = message != nullptr ? std::strlen(message) : 0;
  if (severity == fatal_severity)
    GOMP_error(message, length);
  else
    GOMP_warning(message, length);
}

std::uintptr_t __kmpc_init_allocator(gtid_t, std::uintptr_t space, int count,
                                     const omp_alloctrait* traits) {
  return omp_init_allocator(space, count, traits);
}
void __kmpc_destroy_allocator(gtid_t, std::uintptr_t allocator) {
  omp_destroy_allocator(allocator);
}
void __kmpc_set_default_allocator(gtid_t, std::uintptr_t allocator) {
  omp_set_default_allocator(allocator);
}
std::uintptr_t __kmpc_get_default_allocator(gtid_t) { return omp_get_default_allocator(); }
void* __kmpc_alloc(gtid_t, std::size_t bytes, std::uintptr_t allocator) {
  return omp_alloc(bytes, allocator);
}
void* __kmpc_aligned_alloc(gtid_t, std::size_t alignment, std::size_t bytes,
                           std::uintptr_t allocator) {
  return omp_aligned_alloc(alignment, bytes, allocator);
}
void* __kmpc_calloc(gtid_t, std::size_t count, std::size_t bytes, std::uintptr_t allocator) {
  return omp_calloc(count, bytes, allocator);
}
void* __kmpc_realloc(gtid_t, void* memory, std::size_t bytes, std::uintptr_t allocator,
                     std::uintptr_t old_allocator) {
  return omp_realloc(memory, bytes, allocator, old_allocator);
}
void __kmpc_free(gtid_t, void* memory, std::uintptr_t allocator) { omp_free(memory, allocator); }

int __kmpc_pause_resource(int level, int /*flags*/) { return omp_pause_resource_all(level); }
void** __kmpc_omp_get_target_async_handle_ptr(gtid_t) { return nullptr; }
bool __kmpc_omp_has_task_team(gtid_t) { return self().team->size > 1; }

// A task's number, for tools: that of the implicit task's thread and level.
std::uint64_t __kmpc_get_taskid(void) {
  const task_state& me = self();
  return (std::uint64_t{me.team->level} << 32) + me.index + 1;
}
std::uint64_t __kmpc_get_parent_taskid(void) {
  const task_state* parent = self().team->parent;
  return parent == nullptr ? 0 : (std::uint64_t{parent->team->level} << 32) + parent->index + 1;
}

}  // extern "C"
