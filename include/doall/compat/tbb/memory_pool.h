#include <oneapi/tbb/memory_pool.h>
