#include <oneapi/tbb/parallel_invoke.h>
