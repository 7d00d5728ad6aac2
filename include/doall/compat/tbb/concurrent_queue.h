#include <oneapi/tbb/concurrent_queue.h>
