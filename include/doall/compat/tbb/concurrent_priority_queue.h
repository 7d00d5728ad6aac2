#include <oneapi/tbb/concurrent_priority_queue.h>
