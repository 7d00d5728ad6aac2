#include <oneapi/tbb/concurrent_unordered_map.h>
