// hwloc's functions where the program, or libdoall-hwloc.so.0, is linked with it.
#include "topology/hwloc_functions.hpp"

extern "C" {
[[gnu::visibility("default")]] extern const doall::topology::hwloc_functions doall_hwloc_functions;
const doall::topology::hwloc_functions doall_hwloc_functions{
#define DOALL_ADDRESS(name) &hwloc_##name,
    DOALL_HWLOC_FUNCTIONS(DOALL_ADDRESS)
#undef DOALL_ADDRESS
};
}

namespace doall::topology {

const hwloc_functions* hwloc_here() { return &doall_hwloc_functions; }

void forget_hwloc() {}

}  // namespace doall::topology
