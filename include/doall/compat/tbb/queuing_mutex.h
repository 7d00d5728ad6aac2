#include <oneapi/tbb/queuing_mutex.h>
