// Not in doall::compat.
#ifndef DOALL_COMPAT_CONCURRENT_MAP_H
#define DOALL_COMPAT_CONCURRENT_MAP_H

#error \
    "doall/compat has no <tbb/concurrent_map.h> (concurrent_map): compile this source file with oneTBB's own headers and link with -ltbb; both may be in one program"
#include <doall/compat/has_no/concurrent_map>

#endif
