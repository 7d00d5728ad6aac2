// null_rw_mutex.
#ifndef DOALL_COMPAT_NULL_RW_MUTEX_H
#define DOALL_COMPAT_NULL_RW_MUTEX_H

#include "detail/mutexes.h"

#endif
