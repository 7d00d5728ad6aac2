#include <oneapi/tbb/parallel_reduce.h>
