#include <oneapi/tbb/spin_mutex.h>
