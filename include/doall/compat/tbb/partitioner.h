#include <oneapi/tbb/partitioner.h>
