#include <oneapi/tbb/parallel_pipeline.h>
