#include <oneapi/tbb/concurrent_set.h>
