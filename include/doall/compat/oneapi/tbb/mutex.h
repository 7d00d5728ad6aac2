// mutex.
#ifndef DOALL_COMPAT_MUTEX_H
#define DOALL_COMPAT_MUTEX_H

#include "detail/mutexes.h"

#endif
