// Not in doall::compat.
#ifndef DOALL_COMPAT_TASK_SCHEDULER_OBSERVER_H
#define DOALL_COMPAT_TASK_SCHEDULER_OBSERVER_H

#error \
    "doall/compat has no <tbb/task_scheduler_observer.h> (task_scheduler_observer): doall's threads call nobody when they come; see doall::per_worker for a value for each thread"
#include <doall/compat/has_no/task_scheduler_observer>

#endif
