#include <oneapi/tbb/info.h>
