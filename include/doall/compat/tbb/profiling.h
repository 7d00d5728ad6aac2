#include <oneapi/tbb/profiling.h>
