// Not in doall::compat.
#ifndef DOALL_COMPAT_BLOCKED_RANGEND_H
#define DOALL_COMPAT_BLOCKED_RANGEND_H

#error \
    "doall/compat has no <tbb/blocked_rangeNd.h> (blocked_rangeNd): use blocked_range2d, blocked_range3d or doall::space"
#include <doall/compat/has_no/blocked_rangeNd>

#endif
