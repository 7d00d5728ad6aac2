// doall_loop_costs_* in an OpenMP program: named before a region, and inside of one, costs reach
// the loop that they are of, and no other. How often they are asked for tells. Loops without costs
// say so once.
#include <doall/doall.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most = 40000, threads = 3 };

static unsigned char seen[most];
static uint64_t asked;

// Each names what was not named before: another generation.
static uint64_t generation;

// How many threads asked for those of this generation.
static int askers;
static _Thread_local uint64_t asked_here;

static uint64_t cost(void* context, uint64_t iteration) {
  (void)context;
  if (asked_here != generation) {
    asked_here = generation;
    __atomic_fetch_add(&askers, 1, __ATOMIC_RELAXED);
  }
  __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
  return iteration % 1000;
}

static void name_costs(void) { doall_loop_costs_function(cost, NULL, generation); }
static void name_new_costs(void) {
  ++generation;
  asked = 0;
  askers = 0;
  name_costs();
}

static void visit(long i) { __atomic_fetch_add(&seen[i], 1, __ATOMIC_RELAXED); }

static void check_each(int times) {
  for (int i = 0; i < most; ++i) CHECK(seen[i] == times);
  for (int i = 0; i < most; ++i) seen[i] = 0;
}

static void combined_loop(void) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
  for (long i = 0; i < most; ++i) visit(i);
  check_each(1);
}

static void named_before_a_combined_loop(void) {
  name_new_costs();
  combined_loop();
  CHECK(asked == most);
  CHECK(askers == threads);  // their sums are made in parallel
  asked = 0;
  combined_loop();  // which has none
  CHECK(asked == 0);
  name_costs();  // which are known
  combined_loop();
  CHECK(asked == 0);
  ++generation;
  name_costs();
  combined_loop();
  CHECK(asked == most);
}

// The first loop of the region, whoever comes to it first, and none of the others.
static void named_before_a_region(void) {
  for (int round = 0; round < 20; ++round) {
    name_new_costs();
#pragma omp parallel num_threads(threads)
    {
#pragma omp sections
      {
#pragma omp section
        visit(0);
      }
#pragma omp for schedule(static)
      for (long i = 1; i < most; ++i) visit(i);
#pragma omp for schedule(runtime) nowait
      for (long i = 0; i < most; ++i) visit(i);
#pragma omp for schedule(runtime)
      for (long i = most - 1; i >= 0; --i) visit(i);
    }
    check_each(3);
    CHECK(asked == most);
  }
}

// By every thread; those of the first to come are used, and the others' are not left behind.
static void named_inside(void) {
  for (int round = 0; round < 20; ++round) {
    ++generation;
    asked = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(runtime)
      for (long i = 0; i < most; ++i) visit(i);
      name_costs();
#pragma omp for schedule(runtime)
      for (long i = 0; i < most; ++i) visit(i);
#pragma omp for schedule(runtime)
      for (long i = 0; i < most; ++i) visit(i);
    }
    check_each(3);
    CHECK(asked == most);
  }
}

// Of a region without such a loop: forgotten at its end.
static void named_in_vain(void) {
  name_new_costs();
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (long i = 0; i < most; ++i) visit(i);
  }
  check_each(1);
  combined_loop();
  CHECK(asked == 0);
}

static void in_every_form(const char* how) {
  static uint64_t sums[most + 1], weights[most];
  static double reals[most];
  for (int i = 0; i < most; ++i) {
    weights[i] = (uint64_t)(i % 77);
    reals[i] = 0.1 * (i % 99);
    sums[i + 1] = sums[i] + weights[i];
  }
  doall_loop_costs_sums(sums, most, 0);
  combined_loop();
  doall_loop_costs_weights(weights, most, 0);
  combined_loop();
  doall_loop_costs_reals(reals, most, 0);
  combined_loop();
  doall_loop_costs_hint(DOALL_COSTS_UNIFORM);
  combined_loop();
  name_new_costs();
  doall_loop_costs_hint(DOALL_COSTS_GUARDED);
  combined_loop();
  CHECK(asked == (strncmp(how, "wsrw", 4) == 0 ? 0 : most));  // contiguous pieces need them still
  // Of another number of iterations: told, and not used.
  doall_loop_costs_weights(weights, most - 1, 0);
  combined_loop();
  // Of the four, an ordered loop may be dealt by best-static alone.
  name_new_costs();
  long next = 0;
#pragma omp parallel for schedule(runtime) ordered num_threads(threads)
  for (long i = 0; i < 1000; ++i) {
#pragma omp ordered
    CHECK(next++ == i);
  }
  CHECK(asked == (strcmp(how, "best-static") == 0 ? 1000 : 0));
}

// The schedule is named by the environment alone: each in a process of its own. `instead`: what it
// says of loops without costs; null: nothing.
static void run_by(const char* program, const char* how, const char* instead) {
  char command[4096], line[1024];
  int missing = 0;
  snprintf(command, sizeof command, "OMP_SCHEDULE=%s '%s' again 2>&1", how, program);
  FILE* said = popen(command, "r");
  CHECK(said != NULL);
  if (said == NULL) return;
  while (fgets(line, sizeof line, said) != NULL) {
    if (strstr(line, "wrong") != NULL) fprintf(stderr, "%s: %s", how, line);
    if (strstr(line, "a loop without costs was started") == NULL) continue;
    ++missing;
    CHECK(instead != NULL && strstr(line, instead) != NULL);
  }
  CHECK(pclose(said) == 0);
  CHECK(missing == (instead != NULL));
}

int main(int count, char** arguments) {
  const char* const how = getenv("OMP_SCHEDULE");
  if (how == NULL || count == 1) {
    run_by(arguments[0], "wsrw", "such loops run by \"wsri\"");
    run_by(arguments[0], "wsrw,assign=block", "such loops run by \"wsri,assign=block\"");
    run_by(arguments[0], "hybrid,costs", "as if all iterations cost the same");
    run_by(arguments[0], "best-static", NULL); /* it measures them */
    return check_result();
  }
  named_before_a_combined_loop();
  named_before_a_region();
  named_inside();
  named_in_vain();
  in_every_form(how);
  return check_result();
}
