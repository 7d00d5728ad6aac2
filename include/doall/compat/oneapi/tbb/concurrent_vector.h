// Not in doall::compat.
#ifndef DOALL_COMPAT_CONCURRENT_VECTOR_H
#define DOALL_COMPAT_CONCURRENT_VECTOR_H

#error \
    "doall/compat has no <tbb/concurrent_vector.h> (concurrent_vector): compile this source file with oneTBB's own headers and link with -ltbb; both may be in one program"
#include <doall/compat/has_no/concurrent_vector>

#endif
