#include <oneapi/tbb/combinable.h>
