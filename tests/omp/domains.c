/* Nested teams by NUMA domain, on a machine that says it has two domains of four
   workers: an outer region with proc_bind(spread) has one thread a domain, and the
   regions inside of it have the domain's threads. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { domains = 2, workers = 4, rounds = 200 };

static int team_of[domains][workers]; /* the threads that ran the inner regions */

/* Each domain's inner regions run on the same threads, and on nobody else's. */
static void run_nest(int outer_round) {
#pragma omp parallel num_threads(domains) proc_bind(spread)
  {
    const int domain = omp_get_thread_num();
    CHECK(omp_get_num_threads() == domains);
    CHECK(omp_get_level() == 1);
    for (int round = 0; round < 5; ++round) {
      int together = 0;
#pragma omp parallel proc_bind(close)
      {
        const int me = omp_get_thread_num();
        CHECK(omp_get_num_threads() == workers);
        CHECK(omp_get_level() == 2);
        CHECK(omp_get_active_level() == 2);
        CHECK(omp_get_ancestor_thread_num(1) == domain);
        CHECK(omp_get_team_size(1) == domains);
        const int thread = gettid();
        if (outer_round == 0 && round == 0) team_of[domain][me] = thread;
        CHECK(team_of[domain][me] == thread);
#pragma omp atomic
        together += 1;
#pragma omp barrier
        CHECK(together == workers);
        /* A third level is not active. */
#pragma omp parallel num_threads(2)
        CHECK(omp_get_num_threads() == 1);
      }
    }
  }
}

/* Loops of the outer team and of the inner ones at the same time. */
static void run_loops(void) {
  enum { rows = 12, columns = 100 };
  static int ran[rows][columns];
#pragma omp parallel num_threads(domains) proc_bind(spread)
  for (int time = 0; time < 10; ++time) {
#pragma omp for schedule(dynamic) nowait
    for (int row = 0; row < rows; ++row) {
#pragma omp parallel for schedule(dynamic, 3) proc_bind(close)
      for (int column = 0; column < columns; ++column) {
#pragma omp atomic
        ran[row][column] += 1;
      }
    }
  }
  for (int i = 0; i < rows * columns; ++i) CHECK(ran[i / columns][i % columns] == 10);
}

/* As many threads as a clause asks for, also more than the domain has: they may wait for each other.
   Under dyn-var the domain's are enough. */
static void teams_of_all_sizes(void) {
#pragma omp parallel num_threads(domains) proc_bind(spread)
  for (int size = 1; size <= 2 * workers; ++size) {
    int came = 0;
#pragma omp parallel num_threads(size) proc_bind(close)
    {
      CHECK(omp_get_num_threads() == size);
      __atomic_add_fetch(&came, 1, __ATOMIC_SEQ_CST);
      while (__atomic_load_n(&came, __ATOMIC_SEQ_CST) < size) usleep(10);
    }
    omp_set_dynamic(1);
#pragma omp parallel num_threads(size) proc_bind(close)
    CHECK(omp_get_num_threads() <= (size < workers ? size : workers));
    omp_set_dynamic(0);
  }
}

static void other_regions_are_as_ever(void) {
#pragma omp parallel
  {
    CHECK(omp_get_num_threads() == domains * workers);
#pragma omp parallel num_threads(2) proc_bind(close)
    CHECK(omp_get_num_threads() == 2);
  }
#pragma omp parallel num_threads(domains) proc_bind(close)
  {
    CHECK(omp_get_num_threads() == domains);
#pragma omp parallel num_threads(3)
    CHECK(omp_get_num_threads() == 3);
  }
  /* Beside the domain's threads, when its own region is not active. */
#pragma omp parallel num_threads(domains) proc_bind(spread)
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(3)
  CHECK(omp_get_num_threads() == 3 && omp_get_level() == 3);
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(domains) proc_bind(spread)
  {
    CHECK(omp_get_num_threads() == domains);
#pragma omp parallel
    CHECK(omp_get_num_threads() == 1);
  }
  omp_set_max_active_levels(2);
}

int main(int argc, char** argv) {
  if (argc == 1) {
    setenv("DOALL_DOMAINS", "4,4", 1);
    setenv("OMP_NUM_THREADS", "8", 1);
    setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
    execl(argv[0], argv[0], "with-two-domains", NULL);
    return 1;
  }
  for (int round = 0; round < rounds; ++round) {
    run_nest(round);
    if (round % 50 == 0) other_regions_are_as_ever();
  }
  run_loops();
  teams_of_all_sizes();
  for (int a = 0; a < domains * workers; ++a) {
    for (int b = 0; b < a; ++b) CHECK((&team_of[0][0])[a] != (&team_of[0][0])[b]);
  }
  return check_result();
}
