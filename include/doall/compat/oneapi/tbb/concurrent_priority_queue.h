// Not in doall::compat.
#ifndef DOALL_COMPAT_CONCURRENT_PRIORITY_QUEUE_H
#define DOALL_COMPAT_CONCURRENT_PRIORITY_QUEUE_H

#error \
    "doall/compat has no <tbb/concurrent_priority_queue.h> (concurrent_priority_queue): compile this source file with oneTBB's own headers and link with -ltbb; both may be in one program"
#include <doall/compat/has_no/concurrent_priority_queue>

#endif
