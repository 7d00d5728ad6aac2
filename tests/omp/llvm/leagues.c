/* Leagues of teams whose threads have few iterations or none, chunks longer than the loop, and
 * leagues of target regions inside parallel regions. */
#include <omp.h>
#include <string.h>

#include "../check.h"

enum { most = 100 };

static int seen[most];

static void check_seen(int count) {
  for (int i = 0; i < most; ++i) CHECK(seen[i] == (i < count));
  memset(seen, 0, sizeof seen);
}

static void few_iterations(int count) {
#pragma omp teams distribute parallel for num_teams(4) num_threads(8) schedule(static, 1)
  for (int i = 0; i < count; ++i) {
#pragma omp atomic
    seen[i]++;
  }
  check_seen(count);
#pragma omp teams distribute parallel for num_teams(3) num_threads(8) schedule(static, 1)
  for (int i = count - 1; i >= 0; --i) {
#pragma omp atomic
    seen[i]++;
  }
  check_seen(count);
#pragma omp teams distribute parallel for num_teams(3) num_threads(5)
  for (unsigned i = 0; i < (unsigned)count; ++i) {
#pragma omp atomic
    seen[i]++;
  }
  check_seen(count);
}

static void long_chunks(void) {
  long visited = 0;
#pragma omp parallel for schedule(static, 1 << 28) num_threads(16) reduction(+ : visited)
  for (int i = 0; i < 1 << 28; i += 1 << 20) visited += 1;
  CHECK(visited == 1 << 8);
  visited = 0;
  int wrong = 0;
#pragma omp parallel for schedule(static, 200000000) num_threads(16) reduction(+ : visited, wrong)
  for (int i = 0; i < 150000000; ++i) {
    wrong += i < 0;
    visited += 1;
  }
  CHECK(visited == 150000000 && wrong == 0);
}

static void target_in_region(void) {
  int numbers = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    {
#pragma omp target teams distribute parallel for num_teams(4) map(tofrom : seen)
      for (int i = 0; i < 50; ++i) {
#pragma omp atomic
        seen[i]++;
      }
    }
    if (omp_get_thread_num() == 1) {
#pragma omp target teams num_teams(3) reduction(+ : numbers) map(tofrom : numbers)
      numbers += 1 + omp_get_team_num();
    }
#pragma omp barrier
    CHECK(omp_get_num_threads() == 3 && omp_get_num_teams() == 1);
  }
  check_seen(50);
  CHECK(numbers == 6);
}

int main(void) {
  for (int count = 0; count <= 40; ++count) few_iterations(count);
  long_chunks();
  target_in_region();
  return check_result();
}
