// The functions for users that GCC's library does not have: LLVM's kmp_*, their forms for Fortran
// (with an underscore, arguments by reference), and what OpenMP 5.1 and 5.2 add.
//
// Length: one line or two for each of some hundred entry points.
#include <limits.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "base/env.hpp"
#include "base/sync.hpp"
#include "omp/api.hpp"
#include "omp/icv.hpp"
#include "omp/llvm/environment.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/state.hpp"
#include "settings/settings.hpp"

using namespace doall;
using namespace doall::omp;

namespace {

using i32 = std::int32_t;

// How long threads spin is DOALL_SPIN_NS's and OMP_WAIT_POLICY's to say; the number is only kept.
// -1: nothing has set it.
constinit sync::atomic<int> blocktime{-1};

// LLVM's library kinds: serial, turnaround, throughput. Threads sleep in any case. -1: nothing has
// set it since KMP_LIBRARY.
constexpr int serial = 1;
constinit sync::atomic<int> library{-1};

// Of these, serial has one thread in the caller's regions to come, whatever they ask for.
void set_library(int kind) {
  library.store(kind);
  icvs& mine = self().change_settings();
  mine.threads = kind == serial ? 1 : initial_icvs().threads;
  if (kind == serial) {
    mine.max_active_levels = 0;
  } else if (mine.max_active_levels == 0) {
    mine.max_active_levels = std::max(initial_icvs().max_active_levels, 1U);
  }
}

int get_library() {
  if (const int set = library.load(); set != -1) return set;
  constexpr int throughput = 3;
  return initial_icvs().max_active_levels == 0 ? serial : throughput;
}

// What kmp_set_defaults() has set of OMP_TARGET_OFFLOAD: one of offload_words(). -1: nothing.
constinit sync::atomic<int> offload{-1};

// "NAME=value", of which OMP_TARGET_OFFLOAD alone has an effect after the start. Programs that set
// more do it before their first region, for which setenv() is the way.
void set_default(std::string_view text) {
  constexpr std::string_view name = "OMP_TARGET_OFFLOAD=";
  if (!text.starts_with(name)) return;
  const choice* found = find_choice(offload_words(), text.substr(name.size()));
  // (1) relaxed; alone: a setting
  offload.store(static_cast<int>(found != nullptr ? found->value : 0), sync::relaxed);
}

void* aligned(std::size_t bytes, std::size_t alignment) {
  void* memory = nullptr;
  const std::size_t least = std::max(alignment, sizeof(void*));
  return posix_memalign(&memory, least, bytes) == 0 ? memory : nullptr;
}

cpu_set_t& set_of(void** mask) { return *static_cast<cpu_set_t*>(*mask); }
bool is_cpu(int cpu) { return cpu >= 0 && cpu < CPU_SETSIZE; }

// Of workers that are not started yet. LLVM's least is the system's.
template <class Integer>
void set_stack(Integer bytes) {
  if (std::cmp_greater_equal(bytes, PTHREAD_STACK_MIN)) {
    team::set_stack_bytes(static_cast<std::uint64_t>(bytes));
    return;
  }
  base::warn_once("kmp_set_stacksize(" + std::to_string(bytes) +
                  ") is ignored: expected at least " + std::to_string(PTHREAD_STACK_MIN) +
                  " bytes; " + std::to_string(team::stack_bytes()) + " are used");
}

}  // namespace

extern "C" {

// Waiting, stacks, threads

void kmp_set_blocktime(int ms) { blocktime.store(ms); }
int kmp_get_blocktime(void) {
  const int ms = blocktime.load();
  return ms >= 0 ? ms : kmp_environment().blocktime_ms;
}
void kmp_set_stacksize_s(std::size_t bytes) { set_stack(bytes); }
void kmp_set_stacksize(int bytes) { set_stack(bytes); }
std::size_t kmp_get_stacksize_s(void) { return team::stack_bytes(); }
int kmp_get_stacksize(void) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  return static_cast<int>(std::min<std::size_t>(kmp_get_stacksize_s(), most));
}
void kmp_set_library(int kind) { set_library(kind); }
int kmp_get_library(void) { return get_library(); }
void kmp_set_library_serial(void) { kmp_set_library(1); }
void kmp_set_library_turnaround(void) { kmp_set_library(2); }
void kmp_set_library_throughput(void) { kmp_set_library(3); }
void kmp_set_defaults(const char* text) { set_default(text); }
void kmp_set_disp_num_buffers(int) {}
void kmp_set_warnings_on(void) {}
void kmp_set_warnings_off(void) {}
int kmp_get_num_known_threads(void) { return count_threads_met(); }

void kmpc_set_blocktime(int ms) { kmp_set_blocktime(ms); }
void kmpc_set_stacksize(int bytes) { set_stack(bytes); }
void kmpc_set_stacksize_s(std::size_t bytes) { set_stack(bytes); }
void kmpc_set_library(int kind) { kmp_set_library(kind); }
void kmpc_set_defaults(const char* text) { set_default(text); }
void kmpc_set_disp_num_buffers(int) {}

void kmp_set_blocktime_(const int* ms) { kmp_set_blocktime(*ms); }
int kmp_get_blocktime_(void) { return kmp_get_blocktime(); }
void kmp_set_stacksize_s_(const std::size_t* bytes) { set_stack(*bytes); }
void kmp_set_stacksize_(const int* bytes) { set_stack(*bytes); }
std::size_t kmp_get_stacksize_s_(void) { return kmp_get_stacksize_s(); }
int kmp_get_stacksize_(void) { return kmp_get_stacksize(); }
void kmp_set_library_(const int* kind) { kmp_set_library(*kind); }
int kmp_get_library_(void) { return kmp_get_library(); }
void kmp_set_library_serial_(void) { kmp_set_library_serial(); }
void kmp_set_library_turnaround_(void) { kmp_set_library_turnaround(); }
void kmp_set_library_throughput_(void) { kmp_set_library_throughput(); }
void kmp_set_defaults_(const char* text, int length) {
  set_default({text, static_cast<std::size_t>(length)});
}
void kmp_set_disp_num_buffers_(const int*) {}
void kmp_set_warnings_on_(void) {}
void kmp_set_warnings_off_(void) {}
int kmp_get_num_known_threads_(void) { return kmp_get_num_known_threads(); }

// LLVM's numbers are others: disabled 0, default 1, mandatory 2.
int __kmpc_get_target_offload(void) {
  // (2) relaxed; alone: a setting
  const int set = offload.load(sync::relaxed);
  constexpr int of_llvm[] = {1, 2, 0};
  return of_llvm[set >= 0 ? static_cast<std::uint32_t>(set) : process().target_offload];
}

// Memory

void* kmp_malloc(std::size_t bytes) { return std::malloc(bytes); }
void* kmp_aligned_malloc(std::size_t bytes, std::size_t alignment) {
  return aligned(bytes, alignment);
}
void* kmp_calloc(std::size_t count, std::size_t bytes) { return std::calloc(count, bytes); }
void* kmp_realloc(void* memory, std::size_t bytes) { return std::realloc(memory, bytes); }
void kmp_free(void* memory) { std::free(memory); }

void* kmpc_malloc(std::size_t bytes) { return std::malloc(bytes); }
void* kmpc_aligned_malloc(std::size_t bytes, std::size_t alignment) {
  return aligned(bytes, alignment);
}
void* kmpc_calloc(std::size_t count, std::size_t bytes) { return std::calloc(count, bytes); }
void* kmpc_realloc(void* memory, std::size_t bytes) { return std::realloc(memory, bytes); }
void kmpc_free(void* memory) { std::free(memory); }

void* kmp_malloc_(const std::size_t* bytes) { return std::malloc(*bytes); }
void* kmp_aligned_malloc_(const std::size_t* bytes, const std::size_t* alignment) {
  return aligned(*bytes, *alignment);
}
void* kmp_calloc_(const std::size_t* count, const std::size_t* bytes) {
  return std::calloc(*count, *bytes);
}
void* kmp_realloc_(void** memory, const std::size_t* bytes) {
  return std::realloc(*memory, *bytes);
}
void kmp_free_(void** memory) { std::free(*memory); }

// The calling thread's affinity; a mask is a pointer to a set of CPUs

void kmp_create_affinity_mask(void** mask) { *mask = std::calloc(1, sizeof(cpu_set_t)); }
void kmp_destroy_affinity_mask(void** mask) {
  std::free(*mask);
  *mask = nullptr;
}
int kmp_set_affinity(void** mask) { return sched_setaffinity(0, sizeof(cpu_set_t), &set_of(mask)); }
int kmp_get_affinity(void** mask) { return sched_getaffinity(0, sizeof(cpu_set_t), &set_of(mask)); }
int kmp_get_affinity_max_proc(void) { return CPU_SETSIZE; }
int kmp_set_affinity_mask_proc(int cpu, void** mask) {
  if (!is_cpu(cpu)) return -1;
  CPU_SET(static_cast<unsigned>(cpu), &set_of(mask));
  return 0;
}
int kmp_unset_affinity_mask_proc(int cpu, void** mask) {
  if (!is_cpu(cpu)) return -1;
  CPU_CLR(static_cast<unsigned>(cpu), &set_of(mask));
  return 0;
}
int kmp_get_affinity_mask_proc(int cpu, void** mask) {
  return is_cpu(cpu) ? CPU_ISSET(static_cast<unsigned>(cpu), &set_of(mask)) : 0;
}

int kmpc_set_affinity_mask_proc(int cpu, void** mask) {
  return kmp_set_affinity_mask_proc(cpu, mask);
}
int kmpc_unset_affinity_mask_proc(int cpu, void** mask) {
  return kmp_unset_affinity_mask_proc(cpu, mask);
}
int kmpc_get_affinity_mask_proc(int cpu, void** mask) {
  return kmp_get_affinity_mask_proc(cpu, mask);
}

void kmp_create_affinity_mask_(void** mask) { kmp_create_affinity_mask(mask); }
void kmp_destroy_affinity_mask_(void** mask) { kmp_destroy_affinity_mask(mask); }
int kmp_set_affinity_(void** mask) { return kmp_set_affinity(mask); }
int kmp_get_affinity_(void** mask) { return kmp_get_affinity(mask); }
int kmp_get_affinity_max_proc_(void) { return kmp_get_affinity_max_proc(); }
int kmp_set_affinity_mask_proc_(const int* cpu, void** mask) {
  return kmp_set_affinity_mask_proc(*cpu, mask);
}
int kmp_unset_affinity_mask_proc_(const int* cpu, void** mask) {
  return kmp_unset_affinity_mask_proc(*cpu, mask);
}
int kmp_get_affinity_mask_proc_(const int* cpu, void** mask) {
  return kmp_get_affinity_mask_proc(*cpu, mask);
}

// The standard's functions, by value, for Fortran's bind(c)

void ompc_set_num_threads(int threads) { omp_set_num_threads(threads); }
void ompc_set_dynamic(int on) { omp_set_dynamic(on); }
void ompc_set_nested(int on) { omp_set_nested(on); }
void ompc_set_max_active_levels(int levels) { omp_set_max_active_levels(levels); }
void ompc_set_schedule(std::uint32_t kind, int chunk) { omp_set_schedule(kind, chunk); }
int ompc_get_ancestor_thread_num(int level) { return omp_get_ancestor_thread_num(level); }
int ompc_get_team_size(int level) { return omp_get_team_size(level); }
void ompc_set_affinity_format(const char* format) { omp_set_affinity_format(format); }
std::size_t ompc_get_affinity_format(char* buffer, std::size_t size) {
  return omp_get_affinity_format(buffer, size);
}
void ompc_display_affinity(const char* format) { omp_display_affinity(format); }
std::size_t ompc_capture_affinity(char* buffer, std::size_t size, const char* format) {
  return omp_capture_affinity(buffer, size, format);
}

// Through this door the run-sched-var is static until something names another schedule.
void llvm_omp_get_schedule(std::uint32_t* kind, int* chunk) {
  const icvs& own = self().settings();
  if (own.run_schedule_named) {
    const kind_and_chunk found = schedule_as_llvm_kind(own);
    *kind = found.kind;
    *chunk = found.chunk;
    return;
  }
  *kind = 1;  // omp_sched_static
  *chunk = 0;
}
void llvm_omp_get_schedule_(i32* kind, i32* chunk) {
  std::uint32_t found = 0;
  llvm_omp_get_schedule(&found, chunk);
  *kind = static_cast<i32>(found & ~monotonic_kind);
}
__asm__(".symver llvm_omp_get_schedule,omp_get_schedule@VERSION");
__asm__(".symver llvm_omp_get_schedule_,omp_get_schedule_@VERSION");

// As Fortran has them here: texts end with a zero.
int omp_get_num_interop_properties_(void**) { return omp_get_num_interop_properties(0); }
std::intptr_t omp_get_interop_int_(void**, const int* property, int* found) {
  return omp_get_interop_int(0, *property, found);
}
void* omp_get_interop_ptr_(void**, const int* property, int* found) {
  return omp_get_interop_ptr(0, *property, found);
}
const char* omp_get_interop_str_(void**, const int* property, int* found) {
  return omp_get_interop_str(0, *property, found);
}
const char* omp_get_interop_name_(void**, const int* property) {
  return omp_get_interop_name(0, *property);
}
const char* omp_get_interop_type_desc_(void**, const int* property) {
  return omp_get_interop_type_desc(0, *property);
}
const char* omp_get_interop_rc_desc_(void**, const int* result) {
  return omp_get_interop_rc_desc(0, *result);
}
const char* omp_get_uid_from_device_(const int* device) { return omp_get_uid_from_device(*device); }

// Memory of devices (OpenMP 6.0): there are none, so there is no space and no allocator of theirs.
#define NONE_OF(devices)                                                                      \
  std::uintptr_t omp_get_##devices##_memspace(int, const int*, std::uintptr_t) { return 0; }  \
  std::uintptr_t omp_get_##devices##_memspace_(int*, const int*, const void*) { return 0; }   \
  std::uintptr_t omp_get_##devices##_allocator(int, const int*, std::uintptr_t) { return 0; } \
  std::uintptr_t omp_get_##devices##_allocator_(int*, const int*, const void*) { return 0; }
#define NONE_OF_ONE(device)                                                      \
  std::uintptr_t omp_get_##device##_memspace(int, std::uintptr_t) { return 0; }  \
  std::uintptr_t omp_get_##device##_memspace_(int*, const void*) { return 0; }   \
  std::uintptr_t omp_get_##device##_allocator(int, std::uintptr_t) { return 0; } \
  std::uintptr_t omp_get_##device##_allocator_(int*, const void*) { return 0; }
NONE_OF(devices)
NONE_OF(devices_and_host)
NONE_OF_ONE(device)
NONE_OF_ONE(device_and_host)
std::uintptr_t omp_get_devices_all_memspace(std::uintptr_t) { return 0; }
std::uintptr_t omp_get_devices_all_memspace_(const void*) { return 0; }
std::uintptr_t omp_get_devices_all_allocator(std::uintptr_t) { return 0; }
std::uintptr_t omp_get_devices_all_allocator_(const void*) { return 0; }

// The host's spaces are of one resource each.
int omp_get_memspace_num_resources(std::uintptr_t space) { return space == 0 ? 0 : 1; }
int omp_get_memspace_num_resources_(const std::uintptr_t* space) {
  return omp_get_memspace_num_resources(*space);
}
std::uintptr_t omp_get_submemspace(std::uintptr_t space, int, int*) { return space; }
std::uintptr_t omp_get_submemspace_(const std::uintptr_t* space, int*, int*) { return *space; }

// Memory of a group of a device's threads.
void* omp_get_dyn_gprivate_ptr(std::size_t, int) { return nullptr; }
void* omp_get_dyn_gprivate_nofb_ptr(std::size_t, int) { return nullptr; }
std::size_t omp_get_dyn_gprivate_size(int) { return 0; }
std::uintptr_t omp_get_dyn_gprivate_memspace(int) { return 0; }

}  // extern "C"
