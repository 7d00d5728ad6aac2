#include <oneapi/tbb/version.h>
