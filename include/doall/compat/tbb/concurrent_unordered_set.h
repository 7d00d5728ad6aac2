#include <oneapi/tbb/concurrent_unordered_set.h>
