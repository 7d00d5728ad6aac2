// Not in doall::compat.
#ifndef DOALL_COMPAT_MEMORY_POOL_H
#define DOALL_COMPAT_MEMORY_POOL_H

#error \
    "doall/compat has no <tbb/memory_pool.h> (memory_pool): compile this source file with oneTBB's own headers and link with -ltbb; both may be in one program"
#include <doall/compat/has_no/memory_pool>

#endif
