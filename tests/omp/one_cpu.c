/* Two threads of a team that run on one CPU, as the kernel puts them beside other programs: the one
   that waits lets the other run. What they wait for takes CPU time of microseconds each time; a
   thread that spun for its time slice would use thousands. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <time.h>

#include "check.h"

enum { rounds = 1000 };
static const double most_us_a_round = 500;

static double used_us(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * 1e6 + used.tv_nsec / 1e3;
}

static cpu_set_t cpus_of_program;

static void run_on_first_cpu(void) {
  cpu_set_t first;
  CPU_ZERO(&first);
  for (int cpu = 0; CPU_COUNT(&first) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &cpus_of_program)) CPU_SET(cpu, &first);
  }
  sched_setaffinity(0, sizeof first, &first);
}

static void barriers(void) {
  for (int i = 0; i < rounds; ++i) {
#pragma omp barrier
  }
}

static void singles(void) {
  int handed_round = 0;
  for (int i = 0; i < rounds; ++i) {
#pragma omp single copyprivate(handed_round)
    handed_round = i;
    CHECK(handed_round == i);
  }
}

static void loops(void) {
  for (int i = 0; i < rounds; ++i) {
#pragma omp for schedule(dynamic)
    for (int k = 0; k < 4; ++k) continue;
  }
}

static void ordered(void) {
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < rounds; ++i) {
#pragma omp ordered
    CHECK(i < rounds);
  }
}

static void check(const char* name, void (*body)(void)) {
  double used = 0;
#pragma omp parallel num_threads(2)
  {
    run_on_first_cpu();
#pragma omp barrier
#pragma omp master
    used = used_us();
    body();
#pragma omp barrier
#pragma omp master
    used = used_us() - used;
    sched_setaffinity(0, sizeof cpus_of_program, &cpus_of_program);
  }
  if (used > most_us_a_round * rounds)
    fprintf(stderr, "%s: %.0f us a round\n", name, used / rounds);
  CHECK(used <= most_us_a_round * rounds);
}

int main(void) {
  sched_getaffinity(0, sizeof cpus_of_program, &cpus_of_program);
  check("barriers", barriers);
  check("singles", singles);
  check("loops", loops);
  check("ordered", ordered);
  return check_result();
}
