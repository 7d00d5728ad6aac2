/* Regions inside of regions with threads of their own, at two and three levels: each inner
   team is a team like any other, while its siblings go their own ways. Runs on GCC's own
   libgomp too (argument "foreign"), where all but the number of threads kept must hold. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "threads_alive.h"

enum { most = 4, size = 240 };

static int on_libgomp;

static void wait_until(int* word, int value) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value) sched_yield();
}
static void arrive(int* word) { __atomic_fetch_add(word, 1, __ATOMIC_ACQ_REL); }

/* All threads of all inner teams are there at once. */
static void teams_are_real(int outer, int inner) {
  int here = 0;
#pragma omp parallel num_threads(outer)
#pragma omp parallel num_threads(inner)
  {
    arrive(&here);
    wait_until(&here, outer * inner);
  }
  CHECK(here == outer * inner);
}

static void numbers_are_right(int a, int b, int c) {
  static int seen[most][most][most];
  memset(seen, 0, sizeof seen);
#pragma omp parallel num_threads(a)
  {
    const int first = omp_get_thread_num();
    CHECK(omp_get_num_threads() == a && omp_get_level() == 1 && omp_get_active_level() == (a > 1));
#pragma omp parallel num_threads(b)
    {
      const int second = omp_get_thread_num();
      CHECK(omp_get_num_threads() == b && omp_get_level() == 2);
      CHECK(omp_get_active_level() == (a > 1) + (b > 1));
      CHECK(omp_get_ancestor_thread_num(1) == first && omp_get_team_size(1) == a);
#pragma omp parallel num_threads(c)
      {
        const int third = omp_get_thread_num();
        CHECK(omp_get_num_threads() == c && omp_get_level() == 3);
        CHECK(omp_get_active_level() == (a > 1) + (b > 1) + (c > 1));
        CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
        CHECK(omp_get_ancestor_thread_num(1) == first && omp_get_team_size(1) == a);
        CHECK(omp_get_ancestor_thread_num(2) == second && omp_get_team_size(2) == b);
        CHECK(omp_get_ancestor_thread_num(3) == third && omp_get_team_size(3) == c);
        CHECK(omp_get_ancestor_thread_num(4) == -1 && omp_get_team_size(4) == -1);
#pragma omp atomic
        seen[first][second][third] += 1;
      }
      CHECK(omp_get_thread_num() == second && omp_get_level() == 2);
    }
    CHECK(omp_get_thread_num() == first && omp_get_level() == 1);
  }
  for (int i = 0; i < most * most * most; ++i) {
    CHECK((&seen[0][0][0])[i] == (i / most / most < a && i / most % most < b && i % most < c));
  }
}

/* Each team as many barriers as it wants. */
static void barriers_are_the_teams_own(void) {
#pragma omp parallel num_threads(3)
  {
    const int rounds = 20 * (1 + omp_get_thread_num());
    int step[most] = {0};
#pragma omp parallel num_threads(3) shared(step)
    for (int round = 1; round <= rounds; ++round) {
      step[omp_get_thread_num()] = round;
#pragma omp barrier
      for (int i = 0; i < 3; ++i) CHECK(step[i] == round);
#pragma omp barrier
    }
  }
}

static int all_are(const int* ran, int n, int value) {
  int right = 0;
  for (int i = 0; i < n; ++i) right += ran[i] == value;
  return right == n;
}

/* The loops of one inner team, while its siblings run theirs. */
static void loops_are_shared(int team) {
  int ran[6][size] = {{0}}, in_order = 0, sections = 0;
  long sum = 0;
#pragma omp parallel num_threads(team) shared(ran)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < size; ++i) ran[0][i] += 1;
#pragma omp for schedule(static, 2) nowait
    for (int i = 0; i < size; ++i) ran[1][i] += 1;
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 0; i < size; ++i) ran[2][i] += 1;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < size; ++i) ran[3][i] += 1;
#pragma omp for schedule(runtime)
    for (int i = 0; i < size; ++i) ran[4][i] += 1;
#pragma omp for schedule(dynamic) ordered
    for (int i = 0; i < size; ++i) {
      ran[5][i] += 1;
#pragma omp ordered
      in_order += in_order == i;
    }
#pragma omp for schedule(guided, 2) reduction(+ : sum)
    for (int i = 0; i < size; ++i) sum += i;
#pragma omp sections
    {
#pragma omp section
      __atomic_fetch_add(&sections, 1, __ATOMIC_RELAXED);
#pragma omp section
      __atomic_fetch_add(&sections, 10, __ATOMIC_RELAXED);
#pragma omp section
      __atomic_fetch_add(&sections, 100, __ATOMIC_RELAXED);
    }
  }
  for (int loop = 0; loop < 6; ++loop) CHECK(all_are(ran[loop], size, 1));
  CHECK(in_order == size);
  CHECK(sum == size * (size - 1L) / 2);
  CHECK(sections == 111);
}

static void constructs_are_the_teams_own(int team) {
  int singles = 0, guarded = 0, given = 0, tasks = 0, together = 0;
#pragma omp parallel num_threads(team) firstprivate(given) reduction(+ : together)
  {
    for (int round = 1; round <= 5; ++round) {
#pragma omp single copyprivate(given)
      {
        singles += 1;
        given = round;
      }
      CHECK(given == round);
#pragma omp critical
      guarded += 1;
#pragma omp barrier
    }
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : tasks)
      for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : tasks)
        tasks += i;
      }
    }
#pragma omp masked
    together += 100;
    together += 1;
  }
  CHECK(singles == 5 && tasks == 45 && together == 100 + team);
  CHECK(guarded == 5 * team);
}

static void constructs_inside(void) {
#pragma omp parallel num_threads(3)
  for (int round = 0; round < 4; ++round) {
    const int team = 1 + (omp_get_thread_num() + round) % most;
    loops_are_shared(team);
    constructs_are_the_teams_own(team);
  }
}

/* The outer team's loop goes on meanwhile, and its threads are at different loops of it. */
static void regions_in_a_nowait_loop(void) {
  enum { rows = 12, columns = 60 };
  static int ran[rows][columns];
  memset(ran, 0, sizeof ran);
  long sums = 0;
#pragma omp parallel num_threads(2) reduction(+ : sums)
  for (int time = 0; time < 10; ++time) {
#pragma omp for schedule(dynamic) nowait
    for (int row = 0; row < rows; ++row) {
      long sum = 0;
#pragma omp parallel for schedule(dynamic, 3) num_threads(2) reduction(+ : sum)
      for (int column = 0; column < columns; ++column) {
#pragma omp atomic
        ran[row][column] += 1;
        sum += column;
      }
      sums += sum;
    }
  }
  CHECK(all_are(&ran[0][0], rows * columns, 10));
  CHECK(sums == 10L * rows * columns * (columns - 1) / 2);
}

static int sum_to(int begin, int end) {
  if (end - begin < 8) {
    int sum = 0;
    for (int i = begin; i < end; ++i) sum += i;
    return sum;
  }
  int left = 0, right = 0;
  const int middle = begin + (end - begin) / 2;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    left = sum_to(begin, middle);
#pragma omp section
    right = sum_to(middle, end);
  }
  return left + right;
}

static void levels_are_limited(void) {
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  CHECK(omp_get_num_threads() == 1 && omp_get_level() == 2 && omp_get_active_level() == 1);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {
    CHECK(omp_get_num_threads() == 2);
#pragma omp parallel num_threads(2)
    CHECK(omp_get_num_threads() == 1);
  }
  /* What counts are the active ones. */
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(2)
#pragma omp parallel if (0) num_threads(3)
#pragma omp parallel num_threads(2)
  {
    CHECK(omp_get_level() == 4 && omp_get_active_level() == 2);
    CHECK(omp_get_num_threads() == 2 && omp_get_team_size(2) == 2 && omp_get_team_size(3) == 1);
  }
  omp_set_max_active_levels(3);
}

/* Inner teams come and go, of changing sizes: threads are started only for what is at work. */
static void threads_are_kept(void) {
  teams_are_real(3, 3);
  const int before = threads_alive();
  for (int i = 0; i < 500; ++i) {
    const int outer = 2 + i / 50 % 2;
#pragma omp parallel num_threads(outer)
    {
      int sum = 0;
#pragma omp parallel num_threads(2 + (i + omp_get_thread_num()) % 2) reduction(+ : sum)
      sum += 1;
      CHECK(sum == 2 + (i + omp_get_thread_num()) % 2);
    }
  }
  if (!on_libgomp) CHECK(threads_alive() <= before);
}

/* The nest has no more threads than the limit, and uses what there are. */
static void limit_is_kept(void) {
  const int limit = omp_get_thread_limit();
  CHECK(limit == 3);
  for (int round = 0; round < 100; ++round) {
    int here = 0, formed = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
      {
        arrive(&here);
#pragma omp barrier
        if (omp_get_thread_num() == 0) arrive(&formed);
        wait_until(&formed, 2);
      }
    }
    CHECK(here == limit);
  }
  if (!on_libgomp) CHECK(threads_alive() <= limit + sanitizer_threads);
#pragma omp parallel num_threads(5)
  {
    CHECK(omp_get_num_threads() == limit);
#pragma omp parallel num_threads(2)
    CHECK(omp_get_num_threads() == 1);
  }
}

static void lists_are_by_level(void) {
  CHECK(omp_get_max_active_levels() > 1);
#pragma omp parallel
  {
    CHECK(omp_get_num_threads() == 2 && omp_get_max_threads() == 3);
#pragma omp parallel
    CHECK(omp_get_num_threads() == 3 && omp_get_max_threads() == 3);
#pragma omp parallel num_threads(2)
    CHECK(omp_get_num_threads() == 2);
  }
}

static void one_level_is_serial(void) {
#pragma omp parallel num_threads(2)
  {
    int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 10; ++i) sum += omp_get_num_threads();
    CHECK(sum == 10);
  }
}

static void fewer_if_dynamic(void) {
  CHECK(omp_get_dynamic());
  const int cpus = omp_get_num_procs();
  int here = 0, formed = 0;
#pragma omp parallel num_threads(2)
  {
    const int teams = omp_get_num_threads();
#pragma omp parallel num_threads(64)
    {
      arrive(&here);
#pragma omp barrier
      if (omp_get_thread_num() == 0) arrive(&formed);
      wait_until(&formed, teams);
    }
  }
  /* libgomp bounds each team by the CPUs less the machine's load, doall the threads of all teams. */
  const int most = cpus > 2 ? cpus : 2;
  CHECK(here <= (on_libgomp ? 2 * most : most));
}

static void run_with(char** argv, const char* part, const char* variable, const char* value) {
  const pid_t child = fork();
  if (child == 0) {
    setenv(variable, value, 1);
    execl(argv[0], argv[0], on_libgomp ? "foreign" : "here", part, NULL);
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

static void all_of_it(void) {
  omp_set_max_active_levels(3);
  for (int round = 0; round < 20; ++round) {
    teams_are_real(2, 2);
    teams_are_real(3, 2);
  }
  for (int i = 0; i < 3 * 3 * 3; ++i) numbers_are_right(1 + i / 9, 1 + i / 3 % 3, 1 + i % 3);
  barriers_are_the_teams_own();
  constructs_inside();
  regions_in_a_nowait_loop();
  threads_are_kept();
  levels_are_limited();
  omp_set_max_active_levels(5);
  for (int round = 0; round < 10; ++round) CHECK(sum_to(0, 100) == 4950);
}

int main(int argc, char** argv) {
  on_libgomp = argc > 1 && strcmp(argv[1], "foreign") == 0;
  if (argc < 3) {
    unsetenv("OMP_NUM_THREADS"); /* whatever the user has set */
    unsetenv("OMP_MAX_ACTIVE_LEVELS");
    run_with(argv, "all", "OMP_DYNAMIC", "false");
    run_with(argv, "serial", "OMP_MAX_ACTIVE_LEVELS", "1");
    run_with(argv, "lists", "OMP_NUM_THREADS", "2,3");
    setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
    run_with(argv, "limit", "OMP_THREAD_LIMIT", "3");
    run_with(argv, "dynamic", "OMP_DYNAMIC", "true");
    return check_result();
  }
  const char* part = argv[2];
  if (strcmp(part, "all") == 0) all_of_it();
  if (strcmp(part, "serial") == 0) one_level_is_serial();
  if (strcmp(part, "lists") == 0) lists_are_by_level();
  if (strcmp(part, "limit") == 0) limit_is_kept();
  if (strcmp(part, "dynamic") == 0) fewer_if_dynamic();
  return check_result();
}
