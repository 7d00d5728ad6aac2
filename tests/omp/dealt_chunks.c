// What a dealt chunk promises: each thread gets rising iterations of a loop whose source does not
// say `nonmonotonic`, unless a schedule is named from outside that deals otherwise; and chunks that
// the source names are whole, under every schedule, the loop's last one too.
//
// The program runs itself again with OMP_SCHEDULE=nonmonotonic:dynamic,8. Its iterations differ in
// cost, so threads that may steal do.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { CHUNK = 8, THREADS = 4, ROUNDS = 20 };

// What a thread knows of the chunk that it works on, and of its iterations.
struct mine {
  long block[CHUNK];
  long begin;   // of the chunk whose first iteration made the block; -1: none
  long before;  // the last iteration; -1: none
};
#define NOTHING_YET {{0}, -1, -1}

static void work(long i, long n) {
  const int units = i < n / 8 ? 400 : i > n - n / 16 ? 100 : 1;
  for (volatile int k = 0; k < units; ++k) {
  }
}

// Iteration i, the i-th in the loop's order, of a loop in chunks of CHUNK.
static void iterate(struct mine* m, long i, long n) {
  if (i % CHUNK == 0) {
    m->begin = i;
    for (long k = 0; k < CHUNK; ++k) m->block[k] = 3 * (i + k);
  } else {
    CHECK(m->begin == i - i % CHUNK);
    CHECK(m->before == i - 1);
  }
  CHECK(m->block[i % CHUNK] == 3 * i);
  m->before = i;
  work(i, n);
}

static void rise(struct mine* m, long i, long n) {
  CHECK(i > m->before);
  m->before = i;
  work(i, n);
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
// The loop over 0 to n - 1 in three forms; `see` is iterate or rise.
#define LOOPS(see, n, ...)                                                                \
  do {                                                                                    \
    PRAGMA(omp parallel num_threads(THREADS)) {                                           \
      struct mine m = NOTHING_YET;                                                        \
      PRAGMA(omp for schedule(__VA_ARGS__))                                               \
      for (long i = 0; i < (n); ++i) see(&m, i, n);                                       \
      m = (struct mine)NOTHING_YET;                                                       \
      PRAGMA(omp for schedule(__VA_ARGS__))                                               \
      for (unsigned long long i = 7; i < 7 + 3ull * (n); i += 3) see(&m, (i - 7) / 3, n); \
      m = (struct mine)NOTHING_YET;                                                       \
      PRAGMA(omp for schedule(__VA_ARGS__))                                               \
      for (int i = 2 * (int)(n); i > 0; i -= 2) see(&m, (n) - i / 2, n);                  \
    }                                                                                     \
    struct mine own = NOTHING_YET;                                                        \
    PRAGMA(omp parallel for num_threads(THREADS) schedule(__VA_ARGS__) firstprivate(own)) \
    for (long i = 0; i < (n); ++i) see(&own, i, n);                                       \
  } while (0)

static void check_chunks(long n) {
  LOOPS(iterate, n, dynamic, CHUNK);
  LOOPS(iterate, n, guided, CHUNK);
  LOOPS(iterate, n, monotonic : dynamic, CHUNK);
  LOOPS(iterate, n, nonmonotonic : dynamic, CHUNK);
  LOOPS(iterate, n, nonmonotonic : guided, CHUNK);
  omp_set_schedule(omp_sched_dynamic, CHUNK);
  LOOPS(iterate, n, runtime);
  omp_set_schedule(omp_sched_guided, CHUNK);
  LOOPS(iterate, n, runtime);
#pragma omp parallel num_threads(THREADS)
  {
    struct mine m = NOTHING_YET;
#pragma omp for schedule(dynamic, CHUNK) ordered
    for (long i = 0; i < n; ++i) {
      iterate(&m, i, n);
#pragma omp ordered
      work(i, n);
    }
  }
  // The last chunk's values come out, and it is whole.
  long last = -1;
  struct mine own = NOTHING_YET;
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, CHUNK) lastprivate(last) \
    firstprivate(own)
  for (long i = 0; i < n; ++i) {
    iterate(&own, i, n);
    last = i;
  }
  CHECK(last == n - 1);
}

static void check_rising(long n) {
  LOOPS(rise, n, dynamic);
  LOOPS(rise, n, dynamic, 3);
  LOOPS(rise, n, guided);
  LOOPS(rise, n, guided, 3);
  omp_set_schedule(omp_sched_dynamic, 1);
  LOOPS(rise, n, runtime);
#pragma omp parallel num_threads(THREADS)
  {
    struct mine m = NOTHING_YET;
#pragma omp for collapse(2) schedule(dynamic)
    for (long i = 0; i < n / 10; ++i)
      for (long j = 0; j < 10; ++j) rise(&m, 10 * i + j, n);
  }
}

static void check_monotonic(long n) {
  LOOPS(rise, n, monotonic : dynamic);
  LOOPS(rise, n, monotonic : guided, 3);
}

// MEGAHIT's kind: items are sorted, the largest first, and a thread's room is for its first one.
static void check_room(long n) {
  long room[THREADS] = {0};
#pragma omp parallel for num_threads(THREADS) schedule(dynamic)
  for (long i = 0; i < n; ++i) {
    long* const mine = &room[omp_get_thread_num()];
    if (*mine == 0) *mine = n - i;
    CHECK(n - i <= *mine);
    work(i, n);
  }
}

int main(int argc, char** argv) {
  const int again = argc > 1;
  const int steered = getenv("DOALL_SCHEDULE") != NULL;
  // Multiples of the chunk, one more, one less, and fewer than threads.
  static const long lengths[] = {1000, 1001, 999, 320, 9, 1};
  for (int round = 0; round < ROUNDS; ++round) {
    for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
      const long n = lengths[l];
      if (again) {
        LOOPS(iterate, n, runtime);
        LOOPS(iterate, n, nonmonotonic : runtime);
        continue;
      }
      check_chunks(n);
      check_monotonic(n);
      if (!steered) check_rising(n);
      if (!steered) check_room(n);
    }
  }
  if (check_result() != 0 || again) return check_result();
  setenv("OMP_SCHEDULE", "nonmonotonic:dynamic,8", 1);
  execl(argv[0], argv[0], "again", (char*)NULL);
  perror(argv[0]);
  return 1;
}
