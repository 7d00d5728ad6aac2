#include <oneapi/tbb/blocked_rangeNd.h>
