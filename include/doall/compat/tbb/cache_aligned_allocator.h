#include <oneapi/tbb/cache_aligned_allocator.h>
