// schedule(dynamic): two threads take turns at one counter. Where the source or OMP_SCHEDULE says
// `nonmonotonic` (the second run of this program) and the loop has chunks enough, they begin with a
// half of it each and steal. A schedule that is named from outside (the third run) is dealt as it
// says, in the source's chunks. Either way a chunk is a chunk, and a thread that is held up keeps
// no other.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { LONG = 100, SHORT = 20, CHUNK = 3 };

// What the two threads begin with, both of them before either goes on.
static long first_of[2];
static int begun;

static void begin_loop(void) { begun = 0; }

static void iterate(long i, int* met) {
  if (*met) return;
  *met = 1;
  first_of[omp_get_thread_num()] = i;
  __atomic_fetch_add(&begun, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < 2) usleep(1);
}

// The loop over `n` iterations with the schedule clause that follows.
#define FIRST_OF(n, ...)                               \
  do {                                                 \
    begin_loop();                                      \
    _Pragma("omp parallel num_threads(2)") {           \
      int met = 0;                                     \
      PRAGMA(omp for schedule(__VA_ARGS__))            \
      for (long i = 0; i < (n); ++i) iterate(i, &met); \
    }                                                  \
  } while (0)
#define PRAGMA(...) PRAGMA_OF(__VA_ARGS__)
#define PRAGMA_OF(...) _Pragma(#__VA_ARGS__)

static void check_halves(long half) {
  CHECK(first_of[0] == 0);
  CHECK(first_of[1] == half);
}

static void check_turns(long chunk) { CHECK(first_of[0] + first_of[1] == chunk); }

// As OMP_SCHEDULE=nonmonotonic:dynamic.
static void check_open_order(void) {
  FIRST_OF(LONG, runtime);
  check_halves(LONG / 2);
  FIRST_OF(SHORT, runtime);
  check_turns(1);
}

static void check_first_chunks(int steered) {
  FIRST_OF(LONG, dynamic);
  check_turns(1);
  FIRST_OF(LONG, nonmonotonic : dynamic, 1);  // which compilers do not tell apart
  check_turns(1);
  FIRST_OF(LONG * CHUNK, dynamic, CHUNK);
  check_turns(CHUNK);
  omp_set_schedule(omp_sched_dynamic, 1);
  FIRST_OF(LONG, runtime);
  check_turns(1);
  FIRST_OF(LONG, nonmonotonic : runtime);
  if (steered)
    check_turns(1);
  else
    check_halves(LONG / 2);
  omp_set_schedule((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 1);
  FIRST_OF(LONG, runtime);
  check_turns(1);
  FIRST_OF(LONG, monotonic : dynamic, 1);
  check_turns(1);
  FIRST_OF(SHORT, dynamic, 1);
  check_turns(1);
}

// Chunks are whole, whoever gets them: the iterations of one have one thread, in order.
static void check_chunks(void) {
  int thread[LONG * CHUNK + 1];
#pragma omp parallel for num_threads(2) schedule(dynamic, CHUNK)
  for (long i = 0; i < LONG * CHUNK + 1; ++i) thread[i] = omp_get_thread_num();
  for (long i = 0; i < LONG * CHUNK; ++i) CHECK(thread[i] == thread[i - i % CHUNK]);
}

// Thread 1 stays in its first iteration until all others have run: without it. Whether they
// did. They do also if that iteration was stolen: what a thief carries from one share to another is
// waited for (schedule/thefts.hpp). The loop is of the kind runtime.
static int runs_without_the_held_one(void) {
  enum { patience_us = 20000000 };
  long others = 0;
  int waited = 0;
#pragma omp parallel num_threads(2)
  {
    int held = 0;
#pragma omp for schedule(runtime)
    for (long i = 0; i < LONG; ++i) {
      if (omp_get_thread_num() == 1 && !held) {
        held = 1;
        const double until = omp_get_wtime() + patience_us * 1e-6;
        while (__atomic_load_n(&others, __ATOMIC_ACQUIRE) < LONG - 1 && !waited) {
          usleep(1);
          waited = omp_get_wtime() > until;
        }
      } else {
        CHECK(omp_get_thread_num() == 0 || others == LONG - 1 || waited);
        __atomic_fetch_add(&others, 1, __ATOMIC_ACQ_REL);
      }
    }
  }
  return !waited;
}

static void check_nothing_is_kept(void) {
  enum { rounds = 100 };
  for (int round = 0; round < rounds; ++round) CHECK(runs_without_the_held_one());
}

int main(int argc, char** argv) {
  int threads = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  threads = omp_get_num_threads();
  if (threads != 2) {
    puts("left out: needs two threads");
    return 77;
  }
  const char* const run = argc > 1 ? argv[1] : "plain";
  const int open = strcmp(run, "open") == 0;
  const int steered = strcmp(run, "steered") == 0;
  if (open)
    check_open_order();
  else
    check_first_chunks(steered);
  check_chunks();
  if (!open) omp_set_schedule(omp_sched_dynamic, 1);
  check_nothing_is_kept();
  if (check_result() != 0 || steered) return check_result();
  if (open)
    setenv("DOALL_SCHEDULE", "dynamic", 1);
  else
    setenv("OMP_SCHEDULE", "nonmonotonic:dynamic", 1);
  execl(argv[0], argv[0], open ? "steered" : "open", (char*)NULL);
  perror(argv[0]);
  return 1;
}
