// Interoperability with foreign runtimes (OpenMP 5.1, 3.12), where the host is the only device: no
// foreign runtime serves it, so every interoperability object is omp_interop_none.
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "omp/api.hpp"

extern "C" void GOMP_taskwait_depend(void** dependences);
extern "C" void GOMP_taskwait_depend_nowait(void** dependences);

namespace {

// omp_interop_rc_t
enum outcome : int {
  no_value = 1,
  succeeded = 0,
  empty = -1,
  out_of_range = -2,
  is_int = -3,
  is_ptr = -4,
  is_str = -5,
};

// omp_interop_property_t counts downwards from -1.
constexpr const char* property_names[] = {"fr_id",       "fr_name",        "vendor",
                                          "vendor_name", "device_num",     "platform",
                                          "device",      "device_context", "targetsync"};
constexpr int first_property = -static_cast<int>(std::size(property_names));

bool is_property(int id) { return id >= first_property && id < 0; }

// Whatever is asked of an object that is none.
void give_outcome(int property, int* result) {
  if (result != nullptr) *result = is_property(property) ? empty : out_of_range;
}

}  // namespace

extern "C" {

int omp_get_num_interop_properties(std::uintptr_t /*object*/) { return 0; }

std::intptr_t omp_get_interop_int(std::uintptr_t /*object*/, int property, int* result) {
  give_outcome(property, result);
  return 0;
}

void* omp_get_interop_ptr(std::uintptr_t /*object*/, int property, int* result) {
  give_outcome(property, result);
  return nullptr;
}

const char* omp_get_interop_str(std::uintptr_t /*object*/, int property, int* result) {
  give_outcome(property, result);
  return nullptr;
}

const char* omp_get_interop_name(std::uintptr_t /*object*/, int property) {
  return is_property(property) ? property_names[-1 - property] : nullptr;
}

const char* omp_get_interop_type_desc(std::uintptr_t /*object*/, int /*property*/) {
  return nullptr;
}

const char* omp_get_interop_rc_desc(std::uintptr_t /*object*/, int result) {
  switch (result) {
    case no_value: return "there is no meaningful value";
    case succeeded: return "successful";
    case empty: return "the object is omp_interop_none";
    case out_of_range: return "no property has this number";
    case is_int: return "the property is an integer: omp_get_interop_int has it";
    case is_ptr: return "the property is a pointer: omp_get_interop_ptr has it";
    case is_str: return "the property is a string: omp_get_interop_str has it";
    default: return nullptr;
  }
}

// The interop construct. Nothing is initialised, so under nowait only an empty task waits for the
// dependences.
void GOMP_interop(int /*device*/, int made, std::uintptr_t** objects_made,
                  const void* /*target_or_targetsync*/, const void* /*preferred*/, int /*used*/,
                  std::uintptr_t** /*objects_used*/, int destroyed,
                  std::uintptr_t** objects_destroyed, unsigned flags, void** dependences) {
  constexpr unsigned nowait = 1;
  if (dependences != nullptr) {
    if ((flags & nowait) != 0)
      GOMP_taskwait_depend_nowait(dependences);
    else
      GOMP_taskwait_depend(dependences);
  }
  for (int i = 0; i < made; ++i) *objects_made[i] = 0;
  for (int i = 0; i < destroyed; ++i) *objects_destroyed[i] = 0;
}

}  // extern "C"
