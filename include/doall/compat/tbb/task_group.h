#include <oneapi/tbb/task_group.h>
