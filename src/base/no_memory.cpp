// libdoall's own; libdoall-omp.so has another one. libdoall.a has this file without
// DOALL_OWN_LIBSTDCXX: its libstdc++ is the program's.
#include "base/own_runtime.hpp"
