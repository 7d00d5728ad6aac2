// Not in doall::compat.
#ifndef DOALL_COMPAT_TBBMALLOC_PROXY_H
#define DOALL_COMPAT_TBBMALLOC_PROXY_H

#error \
    "doall/compat has no <tbb/tbbmalloc_proxy.h> (the replacement of malloc): link with -ltbbmalloc_proxy, which needs no header"
#include <doall/compat/has_no/tbbmalloc_proxy>

#endif
