#include <oneapi/tbb/tbb_allocator.h>
