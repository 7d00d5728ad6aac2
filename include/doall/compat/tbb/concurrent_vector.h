#include <oneapi/tbb/concurrent_vector.h>
