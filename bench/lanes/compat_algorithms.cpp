// oneTBB's loop forms on doall: compiled with doall/compat before oneTBB's own headers.
#include "lanes/tbb_forms.hpp"

#if !defined(DOALL_COMPAT)
#error "expected doall's tbb headers"
#endif

namespace doall::bench {

algorithms compat_algorithms() { return tbb_algorithms("compat"); }

}  // namespace doall::bench
