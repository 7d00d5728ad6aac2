// null_mutex.
#ifndef DOALL_COMPAT_NULL_MUTEX_H
#define DOALL_COMPAT_NULL_MUTEX_H

#include "detail/mutexes.h"

#endif
