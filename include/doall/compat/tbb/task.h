#include <oneapi/tbb/task.h>
