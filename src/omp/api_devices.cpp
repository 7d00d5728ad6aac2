// The user's functions for devices. The host is the only one, so its number is 0:
// omp_get_initial_device() == omp_get_num_devices().
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "omp/api.hpp"
#include "omp/gomp_tasks.hpp"
#include "omp/state.hpp"

extern "C" void GOMP_task(doall::omp::task_function function, void* data,
                          doall::omp::task_copy_function copy, long bytes, long alignment,
                          bool if_clause, unsigned flags, void** dependences, int priority,
                          void* detach);

namespace {

constexpr int host = 0;

// OpenMP 5.2 has a constant for the host, omp_initial_device, beside its number.
constexpr int initial_device = -1;

// OpenMP 6.0 has one for the default device.
constexpr int default_device = -5;

bool is_host(int device) {
  if (device == default_device) device = doall::omp::self().settings().default_device;
  return device == host || device == initial_device;
}

// OpenMP 6.0 has a text for each device, and a number for what is none.
constexpr const char* uid_of_host = "OMP_INITIAL_DEVICE";
constexpr int invalid_device = -4;

// Copies one dimension after the other. Returns 0, or EINVAL when an offset does not fit.
int copy_rectangle(char* to, const char* from, std::size_t element_bytes, int dimensions,
                   const std::size_t* volume, const std::size_t* to_offsets,
                   const std::size_t* from_offsets, const std::size_t* to_dimensions,
                   const std::size_t* from_dimensions) {
  // Bytes from one index of this dimension to the next.
  std::size_t to_stride = element_bytes;
  std::size_t from_stride = element_bytes;
  for (int d = 1; d < dimensions; ++d) {
    if (__builtin_mul_overflow(to_stride, to_dimensions[d], &to_stride)) return EINVAL;
    if (__builtin_mul_overflow(from_stride, from_dimensions[d], &from_stride)) return EINVAL;
  }
  std::size_t to_offset = 0;
  std::size_t from_offset = 0;
  if (__builtin_mul_overflow(to_stride, to_offsets[0], &to_offset)) return EINVAL;
  if (__builtin_mul_overflow(from_stride, from_offsets[0], &from_offset)) return EINVAL;
  if (dimensions == 1) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(element_bytes, volume[0], &bytes)) return EINVAL;
    std::memcpy(to + to_offset, from + from_offset, bytes);
    return 0;
  }
  for (std::size_t i = 0; i < volume[0]; ++i) {
    const int result =
        copy_rectangle(to + to_offset + i * to_stride, from + from_offset + i * from_stride,
                       element_bytes, dimensions - 1, volume + 1, to_offsets + 1, from_offsets + 1,
                       to_dimensions + 1, from_dimensions + 1);
    if (result != 0) return result;
  }
  return 0;
}

// Makes a task of `work`, which waits for the dependences in `count` objects of omp_depend_t, two
// words each. The caller goes on: it may be who fulfills what they wait for.
void make_task_of(std::function<void()> work, int count, void** objects) {
  const bool depends = count > 0 && objects != nullptr;
  // As the compiler passes a depend clause: no counts but that of all, then addresses.
  std::vector<void*> list(5 + static_cast<std::size_t>(depends ? count : 0));
  list[1] = reinterpret_cast<void*>(static_cast<std::uintptr_t>(list.size() - 5));
  for (std::size_t i = 0; i + 5 < list.size(); ++i) list[5 + i] = objects + 2 * i;
  auto* own = new std::function<void()>(std::move(work));
  const auto run = [](void* payload) {
    const std::unique_ptr<std::function<void()>> mine(
        std::exchange(*static_cast<std::function<void()>**>(payload), nullptr));
    (*mine)();
  };
  // With a copy function a task that is made is executed, so that it frees what it has. None is
  // made in a group that is cancelled.
  const auto copy = [](void* to, void* from) {
    std::memcpy(to, from, sizeof own);
    *static_cast<std::function<void()>**>(from) = nullptr;
  };
  GOMP_task(run, &own, copy, sizeof own, alignof(void*), true,
            depends ? doall::omp::task_depend : 0U, list.data(), 0, nullptr);
  delete own;
}

// The arguments of a copy of a rectangle that is made later.
class rectangle_copy {
 public:
  rectangle_copy(void* to, const void* from, std::size_t element_bytes, int dimensions,
                 const std::size_t* volume, const std::size_t* to_offsets,
                 const std::size_t* from_offsets, const std::size_t* to_dimensions,
                 const std::size_t* from_dimensions)
      : to_(static_cast<char*>(to)),
        from_(static_cast<const char*>(from)),
        element_bytes_(element_bytes),
        dimensions_(dimensions) {
    for (const std::size_t* all :
         {volume, to_offsets, from_offsets, to_dimensions, from_dimensions})
      numbers_.insert(numbers_.end(), all, all + dimensions);
  }

  void operator()() const {
    const auto numbers = [&](int list) { return numbers_.data() + list * dimensions_; };
    copy_rectangle(to_, from_, element_bytes_, dimensions_, numbers(0), numbers(1), numbers(2),
                   numbers(3), numbers(4));
  }

 private:
  char* to_;
  const char* from_;
  std::size_t element_bytes_;
  int dimensions_;
  std::vector<std::size_t> numbers_;
};

}  // namespace

extern "C" {

// Any number: one that no device has is the business of who uses it.
void omp_set_default_device(int device) {
  if (device == default_device) return;
  doall::omp::self().change_settings().default_device = device;
}
int omp_get_default_device(void) { return doall::omp::self().settings().default_device; }
int omp_get_num_devices(void) { return 0; }
int omp_get_device_num(void) { return host; }
int omp_get_initial_device(void) { return host; }
int omp_is_initial_device(void) { return 1; }

void* omp_target_alloc(std::size_t bytes, int device) {
  return is_host(device) ? std::malloc(bytes) : nullptr;
}
void omp_target_free(void* memory, int device) {
  if (is_host(device)) std::free(memory);
}
int omp_target_is_present(const void* memory, int device) {
  return memory != nullptr && is_host(device);
}
int omp_target_is_accessible(const void* memory, std::size_t bytes, int device) {
  return memory != nullptr && bytes != 0 && is_host(device);
}
void* omp_get_mapped_ptr(const void* memory, int device) {
  return is_host(device) ? const_cast<void*>(memory) : nullptr;
}

int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                      std::size_t from_offset, int to_device, int from_device) {
  if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
  std::memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset,
              bytes);
  return 0;
}

int omp_target_memcpy_rect(void* to, const void* from, std::size_t element_bytes, int dimensions,
                           const std::size_t* volume, const std::size_t* to_offsets,
                           const std::size_t* from_offsets, const std::size_t* to_dimensions,
                           const std::size_t* from_dimensions, int to_device, int from_device) {
  // Two null pointers ask how many dimensions are supported.
  if (to == nullptr && from == nullptr) return INT_MAX;
  if (to == nullptr || from == nullptr) return EINVAL;
  if (!is_host(to_device) || !is_host(from_device) || dimensions < 1) return EINVAL;
  return copy_rectangle(static_cast<char*>(to), static_cast<const char*>(from), element_bytes,
                        dimensions, volume, to_offsets, from_offsets, to_dimensions,
                        from_dimensions);
}

// Tasks of the caller's team. Bad devices and dimensions are found at the call; offsets beyond the
// address space in the task, which copies nothing then.
int omp_target_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                            std::size_t from_offset, int to_device, int from_device, int count,
                            void** dependences) {
  if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
  make_task_of(
      [=] { omp_target_memcpy(to, from, bytes, to_offset, from_offset, to_device, from_device); },
      count, dependences);
  return 0;
}
int omp_target_memcpy_rect_async(void* to, const void* from, std::size_t element_bytes,
                                 int dimensions, const std::size_t* volume,
                                 const std::size_t* to_offsets, const std::size_t* from_offsets,
                                 const std::size_t* to_dimensions,
                                 const std::size_t* from_dimensions, int to_device, int from_device,
                                 int count, void** dependences) {
  if (to == nullptr && from == nullptr) return INT_MAX;
  if (to == nullptr || from == nullptr) return EINVAL;
  if (!is_host(to_device) || !is_host(from_device) || dimensions < 1) return EINVAL;
  make_task_of(rectangle_copy(to, from, element_bytes, dimensions, volume, to_offsets, from_offsets,
                              to_dimensions, from_dimensions),
               count, dependences);
  return 0;
}

// Returns `memory`, also for a device that there is not.
void* omp_target_memset(void* memory, int value, std::size_t bytes, int device) {
  if (is_host(device) && memory != nullptr) std::memset(memory, value, bytes);
  return memory;
}
void* omp_target_memset_async(void* memory, int value, std::size_t bytes, int device, int count,
                              void** dependences) {
  if (is_host(device) && memory != nullptr)
    make_task_of([=] { std::memset(memory, value, bytes); }, count, dependences);
  return memory;
}

const char* omp_get_uid_from_device(int device) { return is_host(device) ? uid_of_host : nullptr; }
int omp_get_device_from_uid(const char* uid) {
  return uid != nullptr && std::strcmp(uid, uid_of_host) == 0 ? initial_device : invalid_device;
}

// The host's memory has no counterpart on another device.
int omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t, int) {
  return EINVAL;
}
int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }

// Ends the threads, and their copies of threadprivate variables with them; the next region starts
// new ones. Only outside of regions. Kinds are soft and hard, 1 and 2: what a soft pause must keep
// is kept by both.
int omp_pause_resource(int kind, int device) {
  return is_host(device) ? omp_pause_resource_all(kind) : -1;
}
int omp_pause_resource_all(int kind) {
  if (kind < 1 || kind > 2 || doall::omp::self().team->level != 0) return -1;
  doall::team::pool::end_idle_workers();
  return 0;
}

}  // extern "C"
