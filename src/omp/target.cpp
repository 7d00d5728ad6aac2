// Target constructs on the host, the only device: a region runs on the encountering thread, on the
// program's own data. So nothing is mapped, and `target data`, `enter data`, `exit data` and
// `update` have only their dependences to wait for.
//
// A target region is a contention group of its own: an initial task, with the settings that the
// program began with, outside of all parallel regions. What is firstprivate is copied here; the
// compiler leaves that to the runtime.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "omp/fatal.hpp"
#include "omp/gomp_tasks.hpp"
#include "omp/icv.hpp"
#include "omp/region.hpp"
#include "omp/region_apart.hpp"

extern "C" void GOMP_taskwait_depend(void** dependences);
extern "C" void GOMP_taskwait_depend_nowait(void** dependences);
extern "C" void GOMP_task(doall::omp::task_function function, void* data,
                          doall::omp::task_copy_function copy, long bytes, long alignment,
                          bool deferrable, unsigned flags, void** depend, int priority,
                          void* event);

namespace doall::omp {
namespace {

using region_function = void (*)(void*);

// Device numbers as the compiler passes them.
constexpr int device_of_icv = -1;  // no device clause
constexpr int if_is_false = -2;    // the host was asked for
constexpr int host = 0;
constexpr int initial_device = -1;  // the same, of OpenMP 5.2
constexpr int invalid_device = -4;  // no device at all
constexpr int default_device = -5;  // as without a clause, of OpenMP 6.0

// The low byte of a map kind: a copy of the variable, of the size given. The high byte is the
// binary logarithm of its alignment.
constexpr unsigned firstprivate = 12;
// The entry behind a copy that a copied pointer is to point to, as Fortran's allocatable variables
// have it since GCC 14: its address is that of the list's entry for the pointer, its size how many
// words behind that the pointer lies.
constexpr unsigned attach = 0x50;

// A construct for omp_invalid_device ends the program and, with OMP_TARGET_OFFLOAD=mandatory, one
// for another device than the host: the standard wants that.
void require_host(int device) {
  constexpr std::uint32_t mandatory = 1;
  if (device == if_is_false) return;
  const bool by_icv = device == device_of_icv || device == default_device;
  const int wanted = by_icv ? self().settings().default_device : device;
  if (wanted == host || wanted == initial_device) return;
  if (wanted == invalid_device) {
    fatal("a target construct is for omp_invalid_device: expected a device, as the host, " +
          std::to_string(host));
  }
  if (process().target_offload != mandatory) return;
  fatal("OMP_TARGET_OFFLOAD=\"mandatory\", but there is no device " + std::to_string(wanted) +
        " to offload to, only the host");
}

// Of a construct's flags.
constexpr unsigned nowait = 1;

// Waits until the tasks on which a construct depends have ended.
void wait_for(void** dependences) {
  if (dependences != nullptr) GOMP_taskwait_depend(dependences);
}

// A construct that does nothing: it waits for what it depends on or, with nowait, is a task that
// does. Its encountering thread may be who fulfills that.
void run_empty(unsigned flags, void** dependences) {
  if ((flags & nowait) == 0)
    wait_for(dependences);
  else if (dependences != nullptr)
    GOMP_taskwait_depend_nowait(dependences);
}

// Copies of what is firstprivate, while a region runs on them. Their addresses go into the caller's
// list, which the compiler makes anew for each execution, so that an entry which points into the
// list finds the copy.
class private_copies {
 public:
  private_copies(std::size_t count, void** addresses, const std::size_t* bytes,
                 const unsigned short* kinds) {
    for (std::size_t i = 0; i < count; ++i) {
      // An optional argument of Fortran's that is absent has no address.
      if ((kinds[i] & 0xffU) != firstprivate || addresses[i] == nullptr) continue;
      const std::size_t alignment = std::size_t{1} << (kinds[i] >> 8U);
      std::size_t room = bytes[i] + alignment;
      memory_.push_back(std::make_unique_for_overwrite<std::byte[]>(room));
      void* copy = memory_.back().get();
      std::align(alignment, bytes[i], copy, room);
      std::memcpy(copy, addresses[i], bytes[i]);
      addresses[i] = copy;
      if (i + 1 < count && (kinds[i + 1] & 0xffU) == attach) {
        (*static_cast<void***>(addresses[i + 1]))[bytes[i + 1]] = copy;
      }
    }
    addresses_.assign(addresses, addresses + count);
  }

  // Where the variables are: the region's data. A list of its own, for a task outlives the
  // caller's.
  void** addresses() { return addresses_.data(); }

 private:
  std::vector<void*> addresses_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

// The thread_limit clause among what the compiler passes beside the variables; 0: there is none. An
// argument is a word of device, id and value, or has its value in the next word.
std::uint32_t thread_limit_of(void** arguments) {
  constexpr std::uintptr_t value_follows = 1U << 7U;
  constexpr std::uintptr_t id_bits = 0xff00;
  constexpr std::uintptr_t thread_limit = 2U << 8U;
  constexpr unsigned value_shift = 16;
  if (arguments == nullptr) return 0;
  while (*arguments != nullptr) {
    const auto word = reinterpret_cast<std::uintptr_t>(*arguments++);
    auto value = static_cast<std::intptr_t>(word) >> value_shift;
    if ((word & value_follows) != 0) value = reinterpret_cast<std::intptr_t>(*arguments++);
    if ((word & id_bits) != thread_limit || value <= 0) continue;
    return static_cast<std::uint32_t>(std::min<std::intptr_t>(value, 0x7fffffff));
  }
  return 0;
}

void run_on_host(region_function function, void* data, std::uint32_t thread_limit) {
  note_served();
  icvs settings = initial_icvs();
  if (thread_limit != 0) settings.thread_limit = thread_limit;
  const region_apart outside(settings);
  function(data);
}

// A target region with `nowait`: a task of the encountering team's. What is firstprivate has the
// values of the construct's time.
struct target_task {
  region_function function;
  private_copies* copies;  // its own
  std::uint32_t thread_limit;
};

void run_target_task(void* payload) {
  auto& t = *static_cast<target_task*>(payload);
  const std::unique_ptr<private_copies> copies(std::exchange(t.copies, nullptr));
  run_on_host(t.function, copies->addresses(), t.thread_limit);
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void GOMP_target_ext(int device, region_function function, std::size_t count, void** addresses,
                     std::size_t* bytes, unsigned short* kinds, unsigned flags, void** dependences,
                     void** arguments) {
  require_host(device);
  if ((flags & nowait) != 0) {
    if (is_discarded(self())) return;
    target_task t{function, new private_copies(count, addresses, bytes, kinds),
                  thread_limit_of(arguments)};
    // With a copy function a task that is made is executed, so that it frees what it has. None may
    // be made, if a cancellation comes now.
    const task_copy_function copy = [](void* to, void* from) {
      std::memcpy(to, from, sizeof t);
      static_cast<target_task*>(from)->copies = nullptr;
    };
    GOMP_task(run_target_task, &t, copy, sizeof t, alignof(target_task), true,
              dependences != nullptr ? task_depend : 0U, dependences, 0, nullptr);
    delete t.copies;
    return;
  }
  private_copies copies(count, addresses, bytes, kinds);  // of the construct's time
  wait_for(dependences);
  run_on_host(function, copies.addresses(), thread_limit_of(arguments));
}

void GOMP_target_data_ext(int device, std::size_t /*count*/, void** /*addresses*/,
                          std::size_t* /*bytes*/, unsigned short* /*kinds*/) {
  require_host(device);
}
void GOMP_target_end_data(void) {}

void GOMP_target_update_ext(int device, std::size_t /*count*/, void** /*addresses*/,
                            std::size_t* /*bytes*/, unsigned short* /*kinds*/, unsigned flags,
                            void** dependences) {
  require_host(device);
  run_empty(flags, dependences);
}

void GOMP_target_enter_exit_data(int device, std::size_t /*count*/, void** /*addresses*/,
                                 std::size_t* /*bytes*/, unsigned short* /*kinds*/, unsigned flags,
                                 void** dependences) {
  require_host(device);
  run_empty(flags, dependences);
}

// GCC 4.9's forms, without firstprivate and dependences.
void GOMP_target(int device, region_function function, const void* /*unused*/,
                 std::size_t /*count*/, void** addresses, std::size_t* /*bytes*/,
                 unsigned char* /*kinds*/) {
  require_host(device);
  run_on_host(function, addresses, 0);
}
void GOMP_target_data(int device, const void* /*unused*/, std::size_t /*count*/,
                      void** /*addresses*/, std::size_t* /*bytes*/, unsigned char* /*kinds*/) {
  require_host(device);
}
void GOMP_target_update(int device, const void* /*unused*/, std::size_t /*count*/,
                        void** /*addresses*/, std::size_t* /*bytes*/, unsigned char* /*kinds*/) {
  require_host(device);
}

// GCC 14: the function that a pointer of the host stands for on a device.
void* GOMP_target_map_indirect_ptr(void* function) { return function; }

// A program with code for devices registers it when it is loaded, whether it ever offloads or not.
// No device runs it: the program has every region for the host too.
void GOMP_offload_register(const void*, int, const void*) {}
void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
void GOMP_offload_unregister(const void*, int, const void*) {}
void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

}  // extern "C"
