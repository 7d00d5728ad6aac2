#include <oneapi/tbb.h>
