// libdoall-omp.so's own; libdoall.so has another one.
#include "base/own_runtime.hpp"
