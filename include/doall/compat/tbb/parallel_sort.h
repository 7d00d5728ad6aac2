#include <oneapi/tbb/parallel_sort.h>
