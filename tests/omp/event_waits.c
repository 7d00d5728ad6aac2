/* Waits that end by an event which a queued task brings: one that the waiting task has not made
 * itself, but whose maker has ended, or whose maker waits, too. Some thread must come to it, and in
 * a team of one that is the one that waits. A hang fails. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { rounds = 20, deep = 100, wide = 400 };

static int load(int* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static void store(int* flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
static void wait_for(int* flag) {
  while (!load(flag)) sched_yield();
}

/* GCC 12 tells no event of a task without any data. */
static void use(int datum) { (void)datum; }

/* What brings the event: when it is called, that is left to a task further down which waits in the
 * queue, and whose makers have ended. */
typedef void bringer(omp_event_handle_t event);

/* A grandchild that an event has made ready, and so lies in the queue that all share. */
static void by_ready(omp_event_handle_t event) {
  omp_event_handle_t holds;
#pragma omp task if (0) shared(holds)
  {
    int cell = 0, datum = 0;
    (void)cell; /* GCC does not count depend clauses */
    omp_event_handle_t held;
#pragma omp task depend(out : cell) detach(held)
    use(datum);
#pragma omp task depend(in : cell) firstprivate(event)
    omp_fulfill_event(event);
    holds = held;
  }
  omp_fulfill_event(holds);
}

/* One with a priority, behind others. */
static void by_priority(omp_event_handle_t event) {
#pragma omp task if (0) firstprivate(event)
  {
    for (int i = 0; i < 3; ++i) {
#pragma omp task priority(5)
      {
      }
    }
#pragma omp task priority(3) firstprivate(event)
    {
#pragma omp task priority(4) firstprivate(event)
      omp_fulfill_event(event);
    }
  }
}

/* One so deep, and beside so many others, that no stack and no deque has room for it. */
static void nest(int depth, omp_event_handle_t event) {
  if (depth == 0) {
    for (int i = 0; i < wide; ++i) {
#pragma omp task
      {
      }
    }
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
    return;
  }
#pragma omp task firstprivate(event, depth)
  nest(depth - 1, event);
}
static void by_deep(omp_event_handle_t event) { nest(deep, event); }

/* The waits. The event is that of the task itself, of a child, or of one that others depend on. */
static void own_event(bringer* bring) {
  omp_event_handle_t event;
#pragma omp task if (0) detach(event)
  bring(event);
}
static void own_event_in_group(bringer* bring) {
#pragma omp taskgroup
  own_event(bring);
}
static void childs_event(bringer* bring) {
  int datum = 0;
  omp_event_handle_t event;
#pragma omp task detach(event)
  use(datum);
  bring(event);
#pragma omp taskwait
}
static void event_in_group(bringer* bring) {
#pragma omp taskgroup
  {
    int datum = 0;
    omp_event_handle_t event;
#pragma omp task detach(event)
    use(datum);
    bring(event);
  }
}
static void depends_on_event(bringer* bring, int by_task) {
  int cell = 0, datum = 0;
  omp_event_handle_t event;
#pragma omp task depend(out : cell) detach(event)
  use(datum);
  bring(event);
  if (by_task) {
#pragma omp task if (0) depend(inout : cell)
    cell = 1;
  } else {
#pragma omp taskwait depend(in : cell)
  }
}
/* No wait of OpenMP's: the program looks until a task has told it. */
static void yields(bringer* bring) {
  int cell = 0, told = 0, datum = 0;
  (void)cell;
  omp_event_handle_t event;
#pragma omp task depend(out : cell) detach(event)
  use(datum);
#pragma omp task depend(in : cell) shared(told)
  store(&told);
  bring(event);
  while (!load(&told)) {
#pragma omp taskyield
  }
#pragma omp taskwait /* until it is not in use */
}
static void taskwait_depends(bringer* bring) { depends_on_event(bring, 0); }
static void task_depends(bringer* bring) { depends_on_event(bring, 1); }

typedef void waiter(bringer* bring);
static bringer* const bringers[] = {by_ready, by_priority, by_deep};
static waiter* const waiters[] = {yields,       own_event,      own_event_in_group,
                                  childs_event, event_in_group, taskwait_depends,
                                  task_depends};
enum { kinds = sizeof bringers / sizeof *bringers, waits = sizeof waiters / sizeof *waiters };

static void all(int threads, int inside) {
  int done = 0;
#pragma omp parallel num_threads(threads) shared(done)
  for (int i = 0; i < kinds * waits; ++i) {
    /* Each thread waits: none is left over that would take any task. */
    if (inside) {
#pragma omp task if (0) firstprivate(i)
      waiters[i / kinds](bringers[i % kinds]);
    } else {
      waiters[i / kinds](bringers[i % kinds]);
    }
    __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
  }
  CHECK(done % (kinds * waits) == 0 && done != 0);
}

/* Outside of regions. */
static void serially(void) {
  for (int i = 0; i < kinds * waits; ++i) waiters[i / kinds](bringers[i % kinds]);
}

/* Two threads, both of which wait in tasks. What brings the event lies in the deque of one of them,
 * behind an older task that neither may begin meanwhile: only the other may execute it. */
static void behind_another(void) {
  static int begun[3], may_go, older_ran, event_is_there;
  static omp_event_handle_t event;
  for (int i = 0; i < 3; ++i) begun[i] = 0;
  may_go = older_ran = event_is_there = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  if (omp_get_num_threads() == 2) {
#pragma omp task /* keeps the other thread from the older one */
    {
      store(&begun[0]);
      wait_for(&may_go);
    }
    wait_for(&begun[0]);
#pragma omp task
    store(&older_ran);
#pragma omp task if (0)
#pragma omp taskgroup
    {
#pragma omp task priority(1) /* by the other thread */
#pragma omp taskgroup
      {
        store(&begun[1]);
#pragma omp task /* by the first one */
        {
          store(&begun[2]);
#pragma omp task
          {
            wait_for(&event_is_there);
            omp_fulfill_event(event);
          }
#pragma omp task if (0)
          {
            int datum = 0;
            omp_event_handle_t made;
#pragma omp task detach(made)
            use(datum);
            event = made;
            store(&event_is_there);
#pragma omp taskwait
          }
        }
        wait_for(&begun[2]);
      }
      store(&may_go);
      wait_for(&begun[1]);
    }
  }
  CHECK(older_ran);
}

int main(int count, char** arguments) {
  if (omp_get_max_task_priority() == 0) { /* read when the program starts */
    if (count > 1) return 1;
    setenv("OMP_MAX_TASK_PRIORITY", "100", 1);
    return execl("/proc/self/exe", arguments[0], "again", (char*)NULL);
  }
  for (int round = 0; round < rounds; ++round) {
    serially();
    for (int threads = 1; threads <= 4; threads *= 2) {
      all(threads, 0);
      all(threads, 1);
    }
    behind_another();
  }
  return check_result();
}
