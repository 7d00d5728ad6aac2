#include <oneapi/tbb/flow_graph_abstractions.h>
