#include <oneapi/tbb/mutex.h>
