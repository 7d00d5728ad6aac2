// spin_mutex.
#ifndef DOALL_COMPAT_SPIN_MUTEX_H
#define DOALL_COMPAT_SPIN_MUTEX_H

#include "detail/mutexes.h"

#endif
