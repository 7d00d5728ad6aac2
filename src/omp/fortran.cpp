// OpenMP's functions as gfortran calls them: with a trailing underscore, arguments by reference,
// and a character argument's length as a hidden argument at the end. A name with _8_ takes integers
// of 8 bytes (-fdefault-integer-8). Locks are in locks.cpp.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "omp/affinity_format.hpp"
#include "omp/api.hpp"
#include "omp/icv.hpp"

using i32 = std::int32_t;
using i64 = std::int64_t;
using doall::omp::expand_affinity_format;

namespace {

// The nearest int.
int narrow(i64 value) {
  return static_cast<int>(
      std::clamp<i64>(value, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

// Fortran strings have no terminator: they are cut or filled with blanks.
i32 give_text(std::string_view text, char* buffer, std::size_t size) {
  const std::size_t length = std::min(text.size(), size);
  std::memcpy(buffer, text.data(), length);
  std::memset(buffer + length, ' ', size - length);
  return narrow(static_cast<i64>(text.size()));
}

// Programs in Fortran expect the kind alone.
i32 kind_of_schedule(int& chunk) {
  std::uint32_t kind = 0;
  omp_get_schedule(&kind, &chunk);
  return static_cast<i32>(kind & ~doall::omp::monotonic_kind);
}

}  // namespace

// Functions of no argument, and functions and subroutines of one integer.
#define GET(name) \
  i32 name##_(void) { return name(); }
#define GET_AT(name)                               \
  i32 name##_(const i32* at) { return name(*at); } \
  i32 name##_8_(const i64* at) { return name(narrow(*at)); }
#define SET(name)                                  \
  void name##_(const i32* value) { name(*value); } \
  void name##_8_(const i64* value) { name(narrow(*value)); }
#define SET_LOGICAL(name)                          \
  void name##_(const i32* value) { name(*value); } \
  void name##_8_(const i64* value) { name(*value != 0); }

extern "C" {

SET(omp_set_num_threads)
GET(omp_get_num_threads)
GET(omp_get_max_threads)
GET(omp_get_thread_num)
GET(omp_get_num_procs)
GET(omp_in_parallel)
SET_LOGICAL(omp_set_dynamic)
GET(omp_get_dynamic)
SET_LOGICAL(omp_set_nested)
GET(omp_get_nested)
GET(omp_get_thread_limit)
SET(omp_set_max_active_levels)
GET(omp_get_max_active_levels)
GET(omp_get_supported_active_levels)
GET(omp_get_level)
GET(omp_get_active_level)
GET_AT(omp_get_ancestor_thread_num)
GET_AT(omp_get_team_size)
GET(omp_in_final)
GET(omp_in_explicit_task)
GET(omp_get_cancellation)
GET(omp_get_max_task_priority)

double omp_get_wtime_(void) { return omp_get_wtime(); }
double omp_get_wtick_(void) { return omp_get_wtick(); }

void omp_set_schedule_(const i32* kind, const i32* chunk) {
  omp_set_schedule(static_cast<std::uint32_t>(*kind), *chunk);
}
void omp_set_schedule_8_(const i32* kind, const i64* chunk) {
  omp_set_schedule(static_cast<std::uint32_t>(*kind), narrow(*chunk));
}
void omp_get_schedule_(i32* kind, i32* chunk) { *kind = kind_of_schedule(*chunk); }
void omp_get_schedule_8_(i32* kind, i64* chunk) {
  int narrow_chunk = 0;
  *kind = kind_of_schedule(narrow_chunk);
  *chunk = narrow_chunk;
}

GET(omp_get_num_teams)
GET(omp_get_team_num)
SET(omp_set_num_teams)
GET(omp_get_max_teams)
SET(omp_set_teams_thread_limit)
GET(omp_get_teams_thread_limit)

GET(omp_get_proc_bind)
GET(omp_get_num_places)
GET_AT(omp_get_place_num_procs)
GET(omp_get_place_num)
GET(omp_get_partition_num_places)
void omp_get_place_proc_ids_(const i32* place, i32* ids) { omp_get_place_proc_ids(*place, ids); }
void omp_get_place_proc_ids_8_(const i64* place, i64* ids) {
  std::vector<int> found(static_cast<std::size_t>(omp_get_place_num_procs(narrow(*place))));
  omp_get_place_proc_ids(narrow(*place), found.data());
  std::ranges::copy(found, ids);
}
void omp_get_partition_place_nums_(i32* places) { omp_get_partition_place_nums(places); }
void omp_get_partition_place_nums_8_(i64* places) {
  std::vector<int> found(static_cast<std::size_t>(omp_get_partition_num_places()));
  omp_get_partition_place_nums(found.data());
  std::ranges::copy(found, places);
}

void omp_set_affinity_format_(const char* format, std::size_t length) {
  doall::omp::set_affinity_format({format, length});
}
i32 omp_get_affinity_format_(char* buffer, std::size_t size) {
  return give_text(doall::omp::affinity_format(), buffer, size);
}
void omp_display_affinity_(const char* format, std::size_t length) {
  doall::omp::display_affinity({format, length});
}
i32 omp_capture_affinity_(char* buffer, const char* format, std::size_t size, std::size_t length) {
  return give_text(expand_affinity_format({format, length}), buffer, size);
}

SET(omp_set_default_device)
GET(omp_get_default_device)
GET(omp_get_num_devices)
GET(omp_get_device_num)
GET(omp_get_initial_device)
GET(omp_is_initial_device)
i32 omp_pause_resource_(const i32* kind, const i32* device) {
  return omp_pause_resource(*kind, *device);
}
i32 omp_pause_resource_all_(const i32* kind) { return omp_pause_resource_all(*kind); }

std::intptr_t omp_init_allocator_(const std::intptr_t* space, const i32* count,
                                  const omp_alloctrait* traits) {
  return static_cast<std::intptr_t>(
      omp_init_allocator(static_cast<std::uintptr_t>(*space), *count, traits));
}
std::intptr_t omp_init_allocator_8_(const std::intptr_t* space, const i64* count,
                                    const omp_alloctrait* traits) {
  return static_cast<std::intptr_t>(
      omp_init_allocator(static_cast<std::uintptr_t>(*space), narrow(*count), traits));
}
void omp_destroy_allocator_(const std::intptr_t* allocator) {
  omp_destroy_allocator(static_cast<std::uintptr_t>(*allocator));
}
void omp_set_default_allocator_(const std::intptr_t* allocator) {
  omp_set_default_allocator(static_cast<std::uintptr_t>(*allocator));
}
std::intptr_t omp_get_default_allocator_(void) {
  return static_cast<std::intptr_t>(omp_get_default_allocator());
}

// A text as the result of a function: where it is, and how long.
static void give_result(const char* found, const char** text, std::size_t* length) {
  *text = found;
  *length = found == nullptr ? 0 : std::strlen(found);
}
void gomp_get_interop_str(const char** text, std::size_t* length, std::uintptr_t object,
                          i32 property, i32* result) {
  give_result(omp_get_interop_str(object, property, result), text, length);
}
void gomp_get_interop_name(const char** text, std::size_t* length, std::uintptr_t object,
                           i32 property) {
  give_result(omp_get_interop_name(object, property), text, length);
}
void gomp_get_interop_type_desc(const char** text, std::size_t* length, std::uintptr_t object,
                                i32 property) {
  give_result(omp_get_interop_type_desc(object, property), text, length);
}
void gomp_get_interop_rc_desc(const char** text, std::size_t* length, std::uintptr_t object,
                              i32 result) {
  give_result(omp_get_interop_rc_desc(object, result), text, length);
}
void gomp_get_uid_from_device(const char** text, std::size_t* length, i32 device) {
  give_result(omp_get_uid_from_device(device), text, length);
}
void omp_get_uid_from_device_8_(const char** text, std::size_t* length, i64 device) {
  give_result(omp_get_uid_from_device(narrow(device)), text, length);
}
i32 omp_get_device_from_uid_(const char* uid, std::size_t length) {
  return omp_get_device_from_uid(std::string(uid, length).c_str());
}
// LLVM's ABI has other functions of these names.
#define GCC_VERSION(name, version) __asm__(".symver gomp_" #name ",omp_" #name "_@" #version)
GCC_VERSION(get_interop_str, GOMP_5.1.3);
GCC_VERSION(get_interop_name, GOMP_5.1.3);
GCC_VERSION(get_interop_type_desc, GOMP_5.1.3);
GCC_VERSION(get_interop_rc_desc, GOMP_5.1.3);
GCC_VERSION(get_uid_from_device, GOMP_6.0);

SET_LOGICAL(omp_display_env)

void omp_fulfill_event_(std::intptr_t event) {
  omp_fulfill_event(static_cast<std::uintptr_t>(event));
}

}  // extern "C"
