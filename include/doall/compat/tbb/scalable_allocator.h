#include <oneapi/tbb/scalable_allocator.h>
