#include <oneapi/tbb/task_arena.h>
