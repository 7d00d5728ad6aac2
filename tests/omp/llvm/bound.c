/* Places through LLVM's door: where the initial thread is before its first region, the parts of a
 * league's teams, KMP_TEAMS_PROC_BIND, and KMP_AFFINITY=reset. On the places {0}, {1}, {0,1}, {1}.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

static cpu_set_t cpus_here(void) {
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  return mask;
}

static int is_at(int place) {
  int cpus[CPU_SETSIZE];
  cpu_set_t wanted;
  const cpu_set_t mask = cpus_here();
  CPU_ZERO(&wanted);
  omp_get_place_proc_ids(place, cpus);
  for (int i = 0; i < omp_get_place_num_procs(place); ++i) CPU_SET(cpus[i], &wanted);
  return CPU_EQUAL(&mask, &wanted);
}

/* Where each of the teams is, as "place:first+parts ". */
static void league(int teams, const char* expected) {
  char found[200] = "";
#pragma omp teams num_teams(teams)
  {
    int part[8];
    omp_get_partition_place_nums(part);
    CHECK(is_at(omp_get_place_num()));
    sprintf(found + strlen(found), "%d:%d+%d ", omp_get_place_num(), part[0],
            omp_get_partition_num_places());
    /* A region that fits stays in its team's part; a larger one has all places. */
    const int parts = omp_get_partition_num_places();
#pragma omp parallel num_threads(parts)
    if (parts > 1) CHECK(omp_get_place_num() >= part[0] && omp_get_place_num() < part[0] + parts);
#pragma omp parallel num_threads(4)
    CHECK(omp_get_num_threads() == 4);
  }
  if (strcmp(found, expected) != 0) {
    fprintf(stderr, "%d teams: expected %s, found %s\n", teams, expected, found);
    CHECK(!"the places of teams");
  }
  CHECK(omp_get_place_num() == 0 && omp_get_partition_num_places() == 4 && is_at(0));
}

static int restart(char* program, const char* part) {
  cpu_set_t both;
  CPU_ZERO(&both);
  CPU_SET(0, &both);
  CPU_SET(1, &both);
  sched_setaffinity(0, sizeof both, &both);
  setenv("OMP_PLACES", "{0},{1},{0,1},{1}", 1);
  unsetenv("KMP_AFFINITY");
  if (strcmp(part, "reset") == 0) {
    unsetenv("OMP_PLACES");
    setenv("KMP_AFFINITY", "reset,granularity=thread,compact", 1);
  } else if (strcmp(part, "spread") != 0) {
    setenv("KMP_TEAMS_PROC_BIND", part, 1);
  }
  execl(program, program, part, NULL);
  return 1;
}

static void reset(void) {
  const cpu_set_t before = cpus_here();
  for (int i = 0; i < 10; ++i) {
#pragma omp parallel num_threads(2)
    CHECK(CPU_COUNT(&before) == 2);
    cpu_set_t now = cpus_here();
    CHECK(CPU_EQUAL(&now, &before));
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
      {
        const cpu_set_t inside = cpus_here();
        CHECK(CPU_COUNT(&inside) == 1);
      }
      const cpu_set_t inside = cpus_here();
      CHECK(CPU_COUNT(&inside) == 1);
    }
    now = cpus_here();
    CHECK(CPU_EQUAL(&now, &before));
  }
}

int main(int argc, char** argv) {
  const cpu_set_t mask = cpus_here();
  if (argc == 1) {
    if (!CPU_ISSET(0, &mask) || !CPU_ISSET(1, &mask)) return 77; /* skipped */
    return restart(argv[0], "spread");
  }
  const char* part = argv[1];
  if (strcmp(part, "reset") == 0) {
    reset();
    return check_result();
  }
  CHECK(omp_get_place_num() == 0 && is_at(0)); /* before the first region */
  for (int round = 0; round < 2; ++round) {
    if (strcmp(part, "spread") == 0) {
      league(1, "0:0+4 ");
      league(2, "0:0+2 2:2+2 ");
      league(4, "0:0+1 1:1+1 2:2+1 3:3+1 ");
      league(8, "0:0+1 0:0+1 1:1+1 1:1+1 2:2+1 2:2+1 3:3+1 3:3+1 ");
    } else if (strcmp(part, "close") == 0) {
      league(2, "0:0+4 1:0+4 ");
      league(4, "0:0+4 1:0+4 2:0+4 3:0+4 ");
    } else {
      league(3, "0:0+4 0:0+4 0:0+4 ");
    }
  }
  if (check_result()) return 1;
  return restart(argv[0], strcmp(part, "spread") == 0  ? "close"
                          : strcmp(part, "close") == 0 ? "primary"
                                                       : "reset");
}
