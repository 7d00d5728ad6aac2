#include <oneapi/tbb/flow_graph.h>
