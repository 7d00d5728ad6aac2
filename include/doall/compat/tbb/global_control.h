#include <oneapi/tbb/global_control.h>
