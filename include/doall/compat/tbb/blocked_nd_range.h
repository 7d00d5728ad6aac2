#include <oneapi/tbb/blocked_nd_range.h>
