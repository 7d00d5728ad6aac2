// The predefined allocators and memory spaces of LLVM's ABI, as variables. src/omp/lazy/ has them,
// too.
#include <cstdint>

extern "C" {

#define HANDLE(name, value)               \
  extern const std::uintptr_t omp_##name; \
  const std::uintptr_t omp_##name = value;
HANDLE(null_allocator, 0)
HANDLE(default_mem_alloc, 1)
HANDLE(large_cap_mem_alloc, 2)
HANDLE(const_mem_alloc, 3)
HANDLE(high_bw_mem_alloc, 4)
HANDLE(low_lat_mem_alloc, 5)
HANDLE(cgroup_mem_alloc, 6)
HANDLE(pteam_mem_alloc, 7)
HANDLE(thread_mem_alloc, 8)
HANDLE(null_mem_space, 0)
HANDLE(default_mem_space, 0)
HANDLE(large_cap_mem_space, 1)
HANDLE(const_mem_space, 2)
HANDLE(high_bw_mem_space, 3)
HANDLE(low_lat_mem_space, 4)
HANDLE(cgroup_mem_space, 5)

}  // extern "C"
