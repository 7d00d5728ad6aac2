// cache_aligned_allocator.
#ifndef DOALL_COMPAT_CACHE_ALIGNED_ALLOCATOR_H
#define DOALL_COMPAT_CACHE_ALIGNED_ALLOCATOR_H

#include "tbb_allocator.h"

#endif
