// Not in doall::compat.
#ifndef DOALL_COMPAT_FLOW_GRAPH_H
#define DOALL_COMPAT_FLOW_GRAPH_H

#error \
    "doall/compat has no <tbb/flow_graph.h> (flow::graph): compile this source file with oneTBB's own headers and link with -ltbb; both may be in one program"
#include <doall/compat/has_no/flow_graph>

#endif
