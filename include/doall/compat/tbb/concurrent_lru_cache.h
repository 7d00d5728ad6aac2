#include <oneapi/tbb/concurrent_lru_cache.h>
