#include <oneapi/tbb/concurrent_map.h>
