#include <oneapi/tbb/enumerable_thread_specific.h>
