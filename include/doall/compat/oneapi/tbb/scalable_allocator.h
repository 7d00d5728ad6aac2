// Not in doall::compat.
#ifndef DOALL_COMPAT_SCALABLE_ALLOCATOR_H
#define DOALL_COMPAT_SCALABLE_ALLOCATOR_H

#error \
    "doall/compat has no <tbb/scalable_allocator.h> (scalable_allocator, scalable_malloc): use std::allocator, or compile with oneTBB's own headers and link with -ltbbmalloc"
#include <doall/compat/has_no/scalable_allocator>

#endif
