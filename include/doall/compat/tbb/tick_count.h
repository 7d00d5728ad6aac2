#include <oneapi/tbb/tick_count.h>
