#include <oneapi/tbb/parallel_scan.h>
