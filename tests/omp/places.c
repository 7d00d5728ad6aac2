/* Where threads are bound: proc_bind clauses and the words of OMP_PROC_BIND, in regions inside
   regions, as OpenMP 5.1 says in section 2.6.2; and that what the functions say is where threads
   really run. On three places of two CPUs, {0}, {1} and {0,1}, and on six. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { most = 16 };

typedef struct {
  int place, parts, first, bind;
} spot;

static int foreign; /* another runtime than doall */

/* Where the calling thread is, from the functions; checks that the kernel agrees. */
static spot here(void) {
  int parts[most], cpus[CPU_SETSIZE];
  spot at = {omp_get_place_num(), omp_get_partition_num_places(), -1, (int)omp_get_proc_bind()};
  omp_get_partition_place_nums(parts);
  if (at.parts > 0) at.first = parts[0];
  for (int i = 1; i < at.parts; ++i) CHECK(parts[i] == parts[i - 1] + 1);
  cpu_set_t mask, wanted;
  sched_getaffinity(0, sizeof mask, &mask);
  CPU_ZERO(&wanted);
  omp_get_place_proc_ids(at.place, cpus);
  for (int i = 0; i < omp_get_place_num_procs(at.place); ++i) CPU_SET(cpus[i], &wanted);
  CHECK(CPU_EQUAL(&mask, &wanted));
  return at;
}

/* The spots of a region's threads, each "place:first+parts". */
static const char* text_of(const spot* spots, int threads) {
  static char text[most * 12];
  char* end = text;
  *end = 0;
  for (int i = 0; i < threads; ++i) {
    end += sprintf(end, "%s%d:%d+%d", i ? " " : "", spots[i].place, spots[i].first, spots[i].parts);
  }
  return text;
}

static void expect(int line, const char* what, const spot* spots, int threads,
                   const char* expected) {
  const char* found = text_of(spots, threads);
  if (strcmp(found, expected) == 0) return;
  fprintf(stderr, "line %d, %s: expected %s, found %s\n", line, what, expected, found);
  CHECK(!"the places");
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define REGION(SIZE, BIND)                                 \
  spot spots[most];                                        \
  PRAGMA(omp parallel num_threads(SIZE) proc_bind(BIND)) { \
    CHECK(omp_get_num_threads() == (SIZE));                \
    spots[omp_get_thread_num()] = here();                  \
  }
#define EXPECT(SIZE, BIND, EXPECTED)                             \
  do {                                                           \
    REGION(SIZE, BIND)                                           \
    expect(__LINE__, #BIND " of " #SIZE, spots, SIZE, EXPECTED); \
  } while (0)

static void on_three_places(void) {
  EXPECT(2, primary, "0:0+3 0:0+3");
  EXPECT(2, close, "0:0+3 1:0+3");
  EXPECT(3, close, "0:0+3 1:0+3 2:0+3");
  EXPECT(2, spread, "0:0+2 2:2+1");
  EXPECT(3, spread, "0:0+1 1:1+1 2:2+1");
  EXPECT(2, close, "0:0+3 1:0+3"); /* the threads come back */
  EXPECT(1, spread, "0:0+3");
  EXPECT(6, close, "0:0+3 0:0+3 1:0+3 1:0+3 2:0+3 2:0+3");
  EXPECT(6, spread, "0:0+1 0:0+1 1:1+1 1:1+1 2:2+1 2:2+1");
  EXPECT(6, primary, "0:0+3 0:0+3 0:0+3 0:0+3 0:0+3 0:0+3");
  if (foreign) return; /* which places have more is not said */
  EXPECT(5, close, "0:0+3 0:0+3 1:0+3 1:0+3 2:0+3");
  EXPECT(4, spread, "0:0+1 0:0+1 1:1+1 2:2+1");
}

/* Regions inside a region of two: from another place than the first, and in a part. */
#define INSIDE(OUTER, SIZE, BIND, FIRST, SECOND)                                 \
  do {                                                                           \
    PRAGMA(omp parallel num_threads(2) proc_bind(OUTER)) {                       \
      const char* expected = omp_get_thread_num() == 0 ? (FIRST) : (SECOND);     \
      const spot before = here();                                                \
      REGION(SIZE, BIND)                                                         \
      const spot after = here();                                                 \
      CHECK(memcmp(&before, &after, sizeof after) == 0);                         \
      PRAGMA(omp critical)                                                       \
      expect(__LINE__, #BIND " of " #SIZE " in " #OUTER, spots, SIZE, expected); \
    }                                                                            \
  } while (0)

static void inside_on_six_places(void) {
  INSIDE(spread, 3, close, "0:0+3 1:0+3 2:0+3", "3:3+3 4:3+3 5:3+3");
  INSIDE(spread, 2, primary, "0:0+3 0:0+3", "3:3+3 3:3+3");
  INSIDE(spread, 3, spread, "0:0+1 1:1+1 2:2+1", "3:3+1 4:4+1 5:5+1");
  INSIDE(spread, 2, spread, "0:0+2 2:2+1", "3:3+2 5:5+1");
  INSIDE(close, 3, close, "0:0+6 1:0+6 2:0+6", "1:0+6 2:0+6 3:0+6");
  INSIDE(close, 2, spread, "0:0+3 3:3+3", "1:0+3 3:3+3");
  INSIDE(close, 6, close, "0:0+6 1:0+6 2:0+6 3:0+6 4:0+6 5:0+6",
         "1:0+6 2:0+6 3:0+6 4:0+6 5:0+6 0:0+6");
  INSIDE(close, 3, spread, "0:0+2 2:2+2 4:4+2", "1:0+2 2:2+2 4:4+2");
  /* The second thread spreads from the middle of the places, around the end. */
#pragma omp parallel num_threads(5) proc_bind(close)
  if (omp_get_thread_num() == 4) {
    REGION(3, spread)
    expect(__LINE__, "spread from the end", spots, 3, "4:4+2 0:0+2 2:2+2");
  }
  /* Three levels. */
#pragma omp parallel num_threads(2) proc_bind(spread)
#pragma omp parallel num_threads(2) proc_bind(close)
  if (omp_get_ancestor_thread_num(1) == 1 && omp_get_thread_num() == 1) {
    REGION(3, close)
    expect(__LINE__, "third level", spots, 3, "4:3+3 5:3+3 3:3+3");
  }
}

/* The words of OMP_PROC_BIND=spread,close, without clauses. */
static void by_the_list(void) {
  spot outer[2], inner[2][3];
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    outer[me] = here();
    CHECK(outer[me].bind == omp_proc_bind_close);
#pragma omp parallel num_threads(3)
    inner[me][omp_get_thread_num()] = here();
  }
  expect(__LINE__, "outer", outer, 2, "0:0+3 3:3+3");
  expect(__LINE__, "inner", inner[0], 3, "0:0+3 1:0+3 2:0+3");
  expect(__LINE__, "inner", inner[1], 3, "3:3+3 4:3+3 5:3+3");
}

/* A worker that was pulled to the CPU of a thread that waits for it may run there alone for a while
 * (src/threads/placement.hpp). */
static void unbound(void) {
  cpu_set_t before, mask;
  int whole = 0;
  sched_getaffinity(0, sizeof before, &before);
  for (int attempt = 0; attempt < 1000 && !whole; ++attempt) {
    whole = 1;
#pragma omp parallel num_threads(2) proc_bind(spread) private(mask) reduction(&& : whole)
    {
      sched_getaffinity(0, sizeof mask, &mask);
      whole = CPU_EQUAL(&mask, &before);
      CHECK(omp_get_proc_bind() == omp_proc_bind_false);
    }
  }
  CHECK(whole);
}

static int restart(char* program, const char* bind, const char* places, const char* part) {
  setenv("OMP_PROC_BIND", bind, 1);
  setenv("OMP_PLACES", places, 1);
  setenv("OMP_MAX_ACTIVE_LEVELS", "3", 1);
  cpu_set_t both; /* this thread is bound */
  CPU_ZERO(&both);
  CPU_SET(0, &both);
  CPU_SET(1, &both);
  sched_setaffinity(0, sizeof both, &both);
  execl(program, program, part, foreign ? "foreign" : NULL, NULL);
  return 1;
}

/* places [PART] [foreign] */
int main(int argc, char** argv) {
  const char* six = "{0},{1},{0,1},{1},{0},{0,1}";
  foreign = strcmp(argv[argc - 1], "foreign") == 0;
  if (argc - foreign == 1) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    if (!CPU_ISSET(0, &mask) || !CPU_ISSET(1, &mask)) return 77; /* skipped */
    unbound();
    return check_result() ? 1 : restart(argv[0], "true", "{0},{1},{0,1}", "three");
  }
  const char* part = argv[1];
  for (int round = 0; round < 3; ++round) {
    if (strcmp(part, "three") == 0) on_three_places();
    if (strcmp(part, "six") == 0) inside_on_six_places();
    if (strcmp(part, "list") == 0) by_the_list();
  }
  if (check_result() != 0) return 1;
  if (strcmp(part, "three") == 0) return restart(argv[0], "close", six, "six");
  if (strcmp(part, "six") == 0) return restart(argv[0], "spread,close", six, "list");
  return 0;
}
