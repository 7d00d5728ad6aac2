#include <oneapi/tbb/null_mutex.h>
