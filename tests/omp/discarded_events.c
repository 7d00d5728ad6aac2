/* Detachable tasks that a cancellation discards: nobody waits for their events, which the program
 * may fulfill whenever it likes, or never. */
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { tasks = 6 };
static omp_event_handle_t kept[tasks]; /* a round's, fulfilled behind the region */

/* When the group is cancelled none of them is there. */
static void discard(int threads, int keeps) {
  int ran = 0, after = 0, at[tasks] = {0};
  (void)at; /* GCC does not count depend clauses */
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp cancel taskgroup
      }
#pragma omp taskwait
      for (int i = 0; i < tasks; ++i) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(ran) depend(out : at[i])
        {
          __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
          omp_fulfill_event(event);
        }
        if (keeps)
          kept[i] = event;
        else if (i % 2 == 0)
          omp_fulfill_event(event);
      }
#pragma omp task depend(in : at[0]) shared(ran)
      __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    }
    for (int i = 0; i < tasks; ++i) { /* outside of the group, behind those inside */
#pragma omp task depend(in : at[i]) shared(after)
      __atomic_fetch_add(&after, 1, __ATOMIC_RELAXED);
    }
  }
  CHECK(ran == 0);
  CHECK(after == tasks);
}

/* The events come before the cancellation, while the tasks wait for another one's event. */
static void fulfill_early(int threads) {
  int held = 0;
  (void)held;
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskgroup
  {
    omp_event_handle_t holds;
#pragma omp task detach(holds) depend(out : held)
    {
    }
    for (int i = 0; i < tasks; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(in : held)
      {
      }
      omp_fulfill_event(event);
    }
#pragma omp task if (0)
    {
#pragma omp cancel taskgroup
    }
    omp_fulfill_event(holds);
  }
}

/* A task that begins fulfills its event; of one that is discarded nobody does. None begins twice.
 */
static void cancel_region(int threads) {
  int begun[16][tasks] = {{0}};
#pragma omp parallel num_threads(threads)
  {
    const int maker = omp_get_thread_num();
    for (int i = 0; i < tasks; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(begun)
      {
        __atomic_fetch_add(&begun[maker][i], 1, __ATOMIC_RELAXED);
        omp_fulfill_event(event);
      }
    }
#pragma omp cancel parallel
  }
  for (int maker = 0; maker < 16; ++maker) {
    for (int i = 0; i < tasks; ++i) CHECK(begun[maker][i] <= (maker < threads));
  }
}

int main(int number, char** arguments) {
  if (!omp_get_cancellation()) { /* read when the program starts */
    if (number > 1) return 1;
    setenv("OMP_CANCELLATION", "true", 1);
    return execl("/proc/self/exe", arguments[0], "again", (char*)NULL);
  }
  for (int round = 0; round < 50; ++round) {
    for (int threads = 1; threads <= 16; threads *= threads == 4 ? 4 : 2) {
      discard(threads, 0);
      discard(threads, 1);
      fulfill_early(threads);
      for (int i = 0; i < tasks; ++i) omp_fulfill_event(kept[i]);
      cancel_region(threads);
    }
  }
  return check_result();
}
