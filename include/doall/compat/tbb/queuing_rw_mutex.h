#include <oneapi/tbb/queuing_rw_mutex.h>
