#include <oneapi/tbb/blocked_range2d.h>
