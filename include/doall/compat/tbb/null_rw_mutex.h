#include <oneapi/tbb/null_rw_mutex.h>
