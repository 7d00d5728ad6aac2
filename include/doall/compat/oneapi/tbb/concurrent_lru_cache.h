// Not in doall::compat.
#ifndef DOALL_COMPAT_CONCURRENT_LRU_CACHE_H
#define DOALL_COMPAT_CONCURRENT_LRU_CACHE_H

#error \
    "doall/compat has no <tbb/concurrent_lru_cache.h> (concurrent_lru_cache): compile this source file with oneTBB's own headers and link with -ltbb; both may be in one program"
#include <doall/compat/has_no/concurrent_lru_cache>

#endif
