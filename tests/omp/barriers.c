// Barriers of regions: teams of changing size, regions inside of others, threads one a domain
// and their domains' teams, and the child of a fork. Run with teams that are counted and with
// teams that meet along a tree (CMakeLists.txt: DOALL_BARRIER, DOALL_DOMAINS).
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { most = 24, rounds = 6 };

// Everybody writes, then everybody reads what all wrote. Returns what was not as it should be.
static int meet(int* mine, int salt) {
  const int me = omp_get_thread_num();
  const int size = omp_get_num_threads();
  int wrong = 0;
  for (int round = 1; round <= rounds; ++round) {
    mine[me] = salt + round;
#pragma omp barrier
    for (int t = 0; t < size; ++t) wrong += mine[t] != salt + round;
#pragma omp barrier
  }
  return wrong;
}

static int of_changing_size(void) {
  int wrong = 0;
  for (int i = 0; i < 3 * most; ++i) {
    int mine[most] = {0};
    const int size = 1 + (i * 7) % most;
#pragma omp parallel num_threads(size) reduction(+ : wrong)
    wrong += meet(mine, 1000 * i) + (omp_get_num_threads() != size);
  }
  return wrong;
}

static int inside_of_others(void) {
  int wrong = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  for (int i = 0; i < 5; ++i) {
    int mine[most] = {0};
    int inside = 0;
#pragma omp parallel num_threads(2 + i * 4) reduction(+ : inside)
    inside += meet(mine, i);
    wrong += inside;
#pragma omp barrier
  }
  return wrong;
}

static int by_domain(void) {
  int wrong = 0;
  omp_set_max_active_levels(2);
  for (int i = 0; i < 10; ++i) {
    int leaders[most] = {0};
#pragma omp parallel proc_bind(spread) reduction(+ : wrong)
    {
      int mine[most] = {0};
      int inside = 0;
      wrong += meet(leaders, i);
#pragma omp parallel proc_bind(close) reduction(+ : inside)
      inside += meet(mine, i);
      wrong += inside;
      wrong += meet(leaders, i + 100);
    }
  }
  return wrong;
}

int main(void) {
  omp_set_dynamic(0);
  CHECK(of_changing_size() == 0);
  CHECK(inside_of_others() == 0);
  CHECK(by_domain() == 0);
  CHECK(of_changing_size() == 0);
#if !defined( \
    __SANITIZE_THREAD__)  // which starts no threads in the child of a process that had some
  const pid_t child = fork();
  if (child == 0) _exit(of_changing_size() + inside_of_others() == 0 ? 0 : 1);
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
#endif
  CHECK(of_changing_size() == 0);
  return check_result();
}
