/* Under dyn-var a region that a team would not make faster runs alone, and costs hardly
   more than no region; one that gains is shared; without dyn-var all are shared.

   Every bound is tried often, for the machine may be busy with something else; what is
   wrong stays wrong. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { team = 2, batch = 500, tries = 400, most_ns = 100 };

static volatile int sink;

static double now_ns(void) { return omp_get_wtime() * 1e9; }

static void work_for(double ns) {
  const double end = now_ns() + ns;
  while (now_ns() < end) sink += 1;
}

/* Each returns the size of the team. */
static int empty_loop(int n) {
  int size = 0;
#pragma omp parallel for num_threads(team)
  for (int i = 0; i < n; ++i) size = omp_get_num_threads();
  return size;
}

static int dynamic_loop(int n) {
  int size = 0;
#pragma omp parallel for schedule(dynamic) num_threads(team)
  for (int i = 0; i < n; ++i) size = omp_get_num_threads();
  return size;
}

/* Alone it takes some microseconds; with a team its barriers cost far more. */
static int with_barriers(int n) {
  int size = 0;
#pragma omp parallel num_threads(team)
  for (int loop = 0; loop < 300; ++loop) {
#pragma omp for
    for (int i = 0; i < n; ++i) size = omp_get_num_threads();
  }
  return size;
}

static int of_length(double ns) {
  int size = 0;
#pragma omp parallel num_threads(team)
  {
    if (omp_get_thread_num() == 0) size = omp_get_num_threads();
#pragma omp for
    for (int i = 0; i < team; ++i) work_for(ns / team);
  }
  return size;
}

/* A batch of which nearly all ran alone is found. Not all need to: a preempted thread
   makes a region look long. */
static void runs_alone(const char* what, int region(int), int n) {
  int most = 0;
  for (int try = 0; try < tries && most < batch * 9 / 10; ++try) {
    int alone = 0;
    for (int i = 0; i < batch; ++i) alone += region(n) == 1;
    if (alone > most) most = alone;
  }
  CHECK(most >= batch * 9 / 10);
  if (most < batch * 9 / 10) fprintf(stderr, "%s: %d of %d ran alone\n", what, most, batch);
}

static double least(double a, double b) { return a < b ? a : b; }

/* The least of each: a difference of two times is below zero when the second is disturbed. */
static double burden_ns(void) {
  double serial = 1e18, regions = 1e18;
  for (int try = 0; try < tries; ++try) {
    double start = now_ns();
    for (int i = 0; i < batch; ++i) sink = i;
    serial = least(serial, now_ns() - start);
    start = now_ns();
    for (int i = 0; i < batch; ++i) empty_loop(1);
    regions = least(regions, now_ns() - start);
    if (regions - serial < most_ns * batch) break;
  }
  return (regions - serial) / batch;
}

/* What a team costs is measured, and on a busy machine comes to milliseconds: then the
   region has to be longer. */
enum { longest_ms = 160 };

static void new_region_is_shared(void) {
  int size = 1;
  for (int ms = 5; ms <= longest_ms && size == 1; ms *= 2) size = of_length(ms * 1e6);
  CHECK(size == team);
}

/* The same region, short and then long: the first two long executions may run alone, the third has
   its team, and most of ten have. */
static void change_is_noticed(void) {
  enum { longs = 10 };
  int third = 1, shared = 0;
  for (int ms = 5; ms <= longest_ms && (third == 1 || shared <= longs / 2); ms *= 2) {
    shared = 0;
    for (int i = 0; i < 2000; ++i) of_length(0);
    for (int i = 0; i < longs; ++i) {
      const int size = of_length(ms * 1e6);
      if (i == 2) third = size;
      shared += size == team;
    }
  }
  CHECK(third == team);
  CHECK(shared > longs / 2);
}

/* Long now and then: most of those are shared. */
static void long_ones_among_short_ones_are_shared(void) {
  int shared = 0;
  for (int ms = 5; ms <= longest_ms && shared < 10; ms *= 2) {
    shared = 0;
    for (int i = 0; i < 20; ++i) {
      for (int j = 0; j < 10; ++j) of_length(0);
      shared += of_length(ms * 1e6) == team;
    }
  }
  CHECK(shared >= 10);
}

/* The same with one thread on GCC's library, which knows how slow the machine is today: it
   has taken 130 to 340 ns on one and the same. 0: not to be had. */
static double burden_on_libgomp_ns(void) {
  double ns = 0;
  char self[512] = "", command[700];
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 0;
  snprintf(command, sizeof command, "LD_PRELOAD= LD_LIBRARY_PATH= OMP_THREAD_LIMIT=1 '%s' peer",
           self);
  FILE* child = popen(command, "r");
  if (child == NULL) return 0;
  if (fscanf(child, "%lf", &ns) != 1) ns = 0;
  pclose(child);
  return ns;
}

static void with_dynamic_adjustment(void) {
  runs_alone("parallel for", empty_loop, 1);
  runs_alone("parallel for schedule(dynamic)", dynamic_loop, team);
  runs_alone("parallel with many loops", with_barriers, team);
  const double burden = burden_ns();
  const double libgomps = burden < most_ns ? 0 : burden_on_libgomp_ns();
  CHECK(burden < most_ns || burden < libgomps / 2);
  printf("an empty region costs %.0f ns (libgomp's of one thread: %.0f)\n", burden, libgomps);

  new_region_is_shared();
  change_is_noticed();
  long_ones_among_short_ones_are_shared();
}

static void without(void) {
  for (int i = 0; i < 1000; ++i) CHECK(empty_loop(1) == team);
  for (int i = 0; i < 1000; ++i) CHECK(dynamic_loop(team) == team);
}

int main(int argc, char** argv) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  puts("skipped: a sanitizer's regions have other costs");
  return 77;
#endif
  if (argc == 1) {
    setenv("OMP_DYNAMIC", "true", 1);
    unsetenv("DOALL_SMALL_LOOPS");
    execl(argv[0], argv[0], "dynamic", NULL);
    return 1;
  }
  if (strcmp(argv[1], "peer") == 0) {
    printf("%f\n", burden_ns());
    return 0;
  }
  CHECK(omp_get_dynamic());
  with_dynamic_adjustment();
  omp_set_dynamic(0);
  without();
  omp_set_dynamic(1);
  with_dynamic_adjustment();
  return check_result();
}
