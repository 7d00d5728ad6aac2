// Not in doall::compat.
#ifndef DOALL_COMPAT_PARALLEL_PIPELINE_H
#define DOALL_COMPAT_PARALLEL_PIPELINE_H

#error \
    "doall/compat has no <tbb/parallel_pipeline.h> (parallel_pipeline, filter): compile this source file with oneTBB's own headers and link with -ltbb; both may be in one program"
#include <doall/compat/has_no/parallel_pipeline>

#endif
