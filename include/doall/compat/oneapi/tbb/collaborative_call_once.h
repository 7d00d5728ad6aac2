// Not in doall::compat.
#ifndef DOALL_COMPAT_COLLABORATIVE_CALL_ONCE_H
#define DOALL_COMPAT_COLLABORATIVE_CALL_ONCE_H

#error \
    "doall/compat has no <tbb/collaborative_call_once.h> (collaborative_call_once): use std::call_once around a loop, or compile with oneTBB's own headers"
#include <doall/compat/has_no/collaborative_call_once>

#endif
