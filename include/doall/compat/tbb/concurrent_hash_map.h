#include <oneapi/tbb/concurrent_hash_map.h>
