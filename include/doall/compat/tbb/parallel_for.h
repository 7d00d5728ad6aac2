#include <oneapi/tbb/parallel_for.h>
