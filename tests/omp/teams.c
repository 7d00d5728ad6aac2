/* The teams construct on the host. */
#include <omp.h>

#include "check.h"

static void numbers(void) {
  int seen[3] = {0};
#pragma omp teams num_teams(3) thread_limit(2)
  {
    const int team = omp_get_team_num();
    CHECK(omp_get_num_teams() == 3);
    if (team >= 0 && team < 3) __atomic_fetch_add(&seen[team], 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(8)
    {
      CHECK(omp_get_num_threads() <= 2);
      CHECK(omp_get_thread_limit() == 2);
      CHECK(omp_get_team_num() == team);
      CHECK(omp_get_num_teams() == 3);
      CHECK(omp_get_level() == 1);
      CHECK(omp_get_ancestor_thread_num(0) == 0);
    }
  }
  for (int i = 0; i < 3; ++i) CHECK(seen[i] == 1);
  CHECK(omp_get_num_teams() == 1);
  CHECK(omp_get_team_num() == 0);
  CHECK(omp_get_thread_limit() > 2);
}

static void limits(void) {
  omp_set_num_teams(2);
  omp_set_teams_thread_limit(3);
#pragma omp teams
  {
    CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= 2);
#pragma omp parallel
    CHECK(omp_get_thread_limit() == 3);
  }
  omp_set_num_teams(0);
  omp_set_teams_thread_limit(0);
}

static void distributed(void) {
  enum { n = 1000 };
  static int done[n];
  long sum = 0;
#pragma omp teams distribute parallel for num_teams(4) schedule(dynamic, 7) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    __atomic_fetch_add(&done[i], 1, __ATOMIC_RELAXED);
    sum += i;
  }
  for (int i = 0; i < n; ++i) CHECK(done[i] == 1);
  CHECK(sum == (long)n * (n - 1) / 2);
}

int main(void) {
  numbers();
  limits();
  distributed();
  return check_result();
}
