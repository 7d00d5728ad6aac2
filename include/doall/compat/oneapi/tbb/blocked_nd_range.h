// Not in doall::compat.
#ifndef DOALL_COMPAT_BLOCKED_ND_RANGE_H
#define DOALL_COMPAT_BLOCKED_ND_RANGE_H

#error \
    "doall/compat has no <tbb/blocked_nd_range.h>: use blocked_range2d, blocked_range3d or doall::space"
#include <doall/compat/has_no/blocked_nd_range>

#endif
