// hwloc's functions, which the shared library has from one of its own, libdoall-hwloc.so.0. It
// opens that when a topology is first asked for (hwloc_opened.cpp), for hwloc brings libudev and
// libm, and few programs ask. The static library and the tests are linked with hwloc
// (hwloc_linked.cpp).
#pragma once

#include <hwloc.h>

namespace doall::topology {

#define DOALL_HWLOC_FUNCTIONS(F)      \
  F(bitmap_alloc)                     \
  F(bitmap_first)                     \
  F(bitmap_free)                      \
  F(bitmap_next)                      \
  F(bitmap_set)                       \
  F(cpukinds_get_info)                \
  F(cpukinds_get_nr)                  \
  F(cpukinds_register)                \
  F(get_next_obj_by_type)             \
  F(topology_destroy)                 \
  F(topology_init)                    \
  F(topology_load)                    \
  F(topology_set_flags)               \
  F(topology_set_icache_types_filter) \
  F(topology_set_io_types_filter)     \
  F(topology_set_synthetic)           \
  F(topology_set_type_filter)

struct hwloc_functions {
#define DOALL_POINTER(name) decltype(&hwloc_##name) name;
  DOALL_HWLOC_FUNCTIONS(DOALL_POINTER)
#undef DOALL_POINTER
};

// Null: hwloc cannot be loaded, which a warning says once. Any thread, but none that holds a lock:
// it may wait for the dynamic linker's.
const hwloc_functions* hwloc_here();

// For the end of the library, when no thread calls hwloc any more.
void forget_hwloc();

}  // namespace doall::topology
