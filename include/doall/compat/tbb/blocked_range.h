#include <oneapi/tbb/blocked_range.h>
