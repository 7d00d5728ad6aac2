// OpenMP's functions for users, in the C ABI of GCC 12: an enumeration is passed as int, a handle
// as a word. The Fortran entry points, display and the GOMP_* functions call these.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// Threads and regions (api_threads.cpp)
void omp_set_num_threads(int threads);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
void omp_set_dynamic(int on);
int omp_get_dynamic(void);
void omp_set_nested(int on);
int omp_get_nested(void);
int omp_get_thread_limit(void);
void omp_set_max_active_levels(int levels);
int omp_get_max_active_levels(void);
int omp_get_supported_active_levels(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
int omp_in_final(void);
int omp_in_explicit_task(void);
int omp_get_cancellation(void);
int omp_get_max_task_priority(void);
double omp_get_wtime(void);
double omp_get_wtick(void);

// The run-sched-var (api_schedule.cpp)
void omp_set_schedule(std::uint32_t kind, int chunk);
void omp_get_schedule(std::uint32_t* kind, int* chunk);

// Teams on the host (teams.cpp)
int omp_get_num_teams(void);
int omp_get_team_num(void);
void omp_set_num_teams(int teams);
int omp_get_max_teams(void);
void omp_set_teams_thread_limit(int threads);
int omp_get_teams_thread_limit(void);

// Binding (api_places.cpp) and its text (affinity_format.cpp)
int omp_get_proc_bind(void);
int omp_get_num_places(void);
int omp_get_place_num_procs(int place);
void omp_get_place_proc_ids(int place, int* ids);
int omp_get_place_num(void);
int omp_get_partition_num_places(void);
void omp_get_partition_place_nums(int* places);
void omp_set_affinity_format(const char* format);
std::size_t omp_get_affinity_format(char* buffer, std::size_t size);
void omp_display_affinity(const char* format);
std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format);

// Devices (api_devices.cpp)
void omp_set_default_device(int device);
int omp_get_default_device(void);
int omp_get_num_devices(void);
int omp_get_device_num(void);
int omp_get_initial_device(void);
int omp_is_initial_device(void);
void* omp_target_alloc(std::size_t bytes, int device);
void omp_target_free(void* memory, int device);
int omp_target_is_present(const void* memory, int device);
int omp_target_is_accessible(const void* memory, std::size_t bytes, int device);
void* omp_get_mapped_ptr(const void* memory, int device);
int omp_target_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                            std::size_t from_offset, int to_device, int from_device, int count,
                            void** dependences);
int omp_target_memcpy_rect_async(void* to, const void* from, std::size_t element_bytes,
                                 int dimensions, const std::size_t* volume,
                                 const std::size_t* to_offsets, const std::size_t* from_offsets,
                                 const std::size_t* to_dimensions,
                                 const std::size_t* from_dimensions, int to_device, int from_device,
                                 int count, void** dependences);
int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                      std::size_t from_offset, int to_device, int from_device);
int omp_target_memcpy_rect(void* to, const void* from, std::size_t element_bytes, int dimensions,
                           const std::size_t* volume, const std::size_t* to_offsets,
                           const std::size_t* from_offsets, const std::size_t* to_dimensions,
                           const std::size_t* from_dimensions, int to_device, int from_device);
int omp_target_associate_ptr(const void* host, const void* device_memory, std::size_t bytes,
                             std::size_t offset, int device);
int omp_target_disassociate_ptr(const void* host, int device);
void* omp_target_memset(void* memory, int value, std::size_t bytes, int device);
void* omp_target_memset_async(void* memory, int value, std::size_t bytes, int device, int count,
                              void** dependences);
const char* omp_get_uid_from_device(int device);
int omp_get_device_from_uid(const char* uid);
int omp_pause_resource(int kind, int device);
int omp_pause_resource_all(int kind);

// Foreign runtimes (api_interop.cpp)
int omp_get_num_interop_properties(std::uintptr_t object);
std::intptr_t omp_get_interop_int(std::uintptr_t object, int property, int* result);
void* omp_get_interop_ptr(std::uintptr_t object, int property, int* result);
const char* omp_get_interop_str(std::uintptr_t object, int property, int* result);
const char* omp_get_interop_name(std::uintptr_t object, int property);
const char* omp_get_interop_type_desc(std::uintptr_t object, int property);
const char* omp_get_interop_rc_desc(std::uintptr_t object, int result);

// Memory (api_allocators.cpp)
struct omp_alloctrait {
  int key;
  std::uintptr_t value;
};
std::uintptr_t omp_init_allocator(std::uintptr_t space, int count, const omp_alloctrait* traits);
void omp_destroy_allocator(std::uintptr_t allocator);
void omp_set_default_allocator(std::uintptr_t allocator);
std::uintptr_t omp_get_default_allocator(void);
void* omp_alloc(std::size_t bytes, std::uintptr_t allocator);
void* omp_aligned_alloc(std::size_t alignment, std::size_t bytes, std::uintptr_t allocator);
void* omp_calloc(std::size_t count, std::size_t bytes, std::uintptr_t allocator);
void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t bytes,
                         std::uintptr_t allocator);
void* omp_realloc(void* memory, std::size_t bytes, std::uintptr_t allocator,
                  std::uintptr_t old_allocator);
void omp_free(void* memory, std::uintptr_t allocator);

// The settings, on standard error (display_env.cpp)
void omp_display_env(int verbose);

// Events of detached tasks (tasks.cpp)
void omp_fulfill_event(std::uintptr_t event);

}  // extern "C"
