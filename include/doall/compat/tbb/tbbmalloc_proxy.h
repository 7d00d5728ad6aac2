#include <oneapi/tbb/tbbmalloc_proxy.h>
