/* The lists of OMP_NUM_THREADS and OMP_PROC_BIND: an element for each level of regions,
   the last one for those further in; and what is said of places inside of the outer region. */
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

int main(int argc, char** argv) {
  if (argc == 1) {
    setenv("DOALL_DOMAINS", "1,3", 1);
    setenv("OMP_NUM_THREADS", "2,3", 1);
    setenv("OMP_PROC_BIND", "spread,close", 1);
    unsetenv("OMP_MAX_ACTIVE_LEVELS");
    execl(argv[0], argv[0], "with-lists", NULL);
    return 1;
  }
  const int places = omp_get_num_places();
  CHECK(omp_get_max_threads() == 2);
  CHECK(omp_get_proc_bind() == omp_proc_bind_spread);
  CHECK(omp_get_max_active_levels() > 2);
  CHECK(omp_get_partition_num_places() == places);
#pragma omp parallel
  {
    const int domain = omp_get_thread_num();
    CHECK(omp_get_num_threads() == 2);
    CHECK(omp_get_max_threads() == 3);
    CHECK(omp_get_proc_bind() == omp_proc_bind_close);
    CHECK(omp_get_num_places() == places);
    /* Each thread has its part of the places. */
    const int mine = omp_get_partition_num_places();
    CHECK(mine == (domain == 0 ? places - places / 2 : places < 2 ? 1 : places / 2));
    int* numbers = malloc(sizeof *numbers * (size_t)(places + 1));
    omp_get_partition_place_nums(numbers);
    const int first = domain == 0 || places < 2 ? 0 : places - places / 2;
    for (int i = 0; i < mine; ++i) CHECK(numbers[i] == first + i);
    free(numbers);
    /* Worker 0 is the first domain, workers 1 to 3 the second. On two places each part is in one;
       on more the parts are not the domains, and the inner teams have threads of their own. */
    const int alone = domain == 0 && places == 2;
#pragma omp parallel
    {
      CHECK(omp_get_num_threads() == (alone ? 1 : 3));
      CHECK(omp_get_max_threads() == 3);
      CHECK(omp_get_proc_bind() == omp_proc_bind_close);
      CHECK(omp_get_partition_num_places() == mine);
    }
  }
  omp_set_num_threads(1);
#pragma omp parallel
  CHECK(omp_get_max_threads() == 3);
  return check_result();
}
