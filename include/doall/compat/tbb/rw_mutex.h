#include <oneapi/tbb/rw_mutex.h>
