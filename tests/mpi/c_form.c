/* The C form of loops over ranks: what the programs beside it check of C++ is not checked again,
 * but that each of the functions does what <doall/mpi.h> says, on all ranks.
 *
 *   c_form LEVEL [CASES]      as in ranks.hpp; each case is the same */
#define _POSIX_C_SOURCE 199309L
#include <doall/mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { n = 1000 };

static int failures;

static void check(int condition, const char* what) {
  if (condition) return;
  ++failures;
  fprintf(stderr, "wrong: %s\n", what);
}

struct job {
  unsigned char ran[n]; /* memory of this rank */
  int64_t stop_at;
  int verdict;
};

static int run_one(void* context, int64_t i) {
  struct job* const job = context;
  if (i == job->stop_at) return job->verdict;
  __atomic_fetch_add(&job->ran[i + 7], 1, __ATOMIC_RELAXED);
  return 0;
}

static int run_range(void* context, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; ++i) {
    const int verdict = run_one(context, i);
    if (verdict != 0) return verdict;
  }
  return 0;
}

static uint64_t cost_of(void* context, uint64_t i) {
  (void)context;
  return i % 10 + 1;
}

static int add(void* context, int64_t first, int64_t last, void* view) {
  (void)context;
  for (int64_t i = first; i < last; ++i) *(double*)view += 1.0 / (double)(i + 1);
  return 0;
}

static void combine(void* context, void* left, const void* right) {
  (void)context;
  *(double*)left += *(const double*)right;
}

static void expect_once(struct job* job, const char* what) {
  MPI_Allreduce(MPI_IN_PLACE, job->ran, n, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) check(job->ran[i] == 1, what);
}

static void run_loops(doall_mpi_world* w, const char* between) {
  const doall_costs costs = doall_costs_of_function(cost_of, NULL, 0);
  const doall_mpi_options options = {.between = between, .inside = NULL, .costs = &costs};
  struct job job = {.stop_at = n};
  check(doall_mpi_for(w, -7, n - 7, run_one, &job, &options) == 0, "doall_mpi_for's verdict");
  check(strcmp(doall_mpi_why(w), "") == 0, "why there is nothing to say");
  expect_once(&job, "doall_mpi_for");
  memset(&job, 0, sizeof job);
  job.stop_at = n;
  check(doall_mpi_for_range(w, -7, n - 7, run_range, &job, &options) == 0, "range's verdict");
  expect_once(&job, "doall_mpi_for_range");
  check(doall_mpi_for(w, 5, 5, run_one, &job, NULL) == 0, "an empty loop");
}

/* Long enough to be shown, if progress was asked for. */
static int sleep_a_little(void* context, int64_t i) {
  const struct timespec pause = {.tv_sec = 0, .tv_nsec = 30000000};
  (void)context;
  (void)i;
  nanosleep(&pause, NULL);
  return 0;
}

static void run_long_loop(doall_mpi_world* w) {
  if (getenv("DOALL_MPI_PROGRESS") == NULL) return;
  const doall_mpi_options dealt = {.between = "dynamic,5"};
  check(doall_mpi_for(w, 0, 150, sleep_a_little, NULL, &dealt) == 0, "a long loop");
}

/* Of another number of iterations than the loop's: of no loop, or of one that is not run. */
static void run_wrong_costs(doall_mpi_world* w) {
  static const uint64_t weights[n - 1];
  const doall_costs of_fewer = doall_costs_of_weights(weights, n - 1, 0);
  const doall_costs of_none = doall_costs_of_weights(NULL, 0, 0);
  const doall_costs* const costs[] = {&of_fewer, &of_none};
  const char* const between[] = {NULL, "guided"};
  for (int i = 0; i < 4; ++i) {
    const doall_mpi_options options = {
        .between = between[i / 2], .inside = "best-static", .costs = costs[i % 2]};
    struct job job = {.stop_at = n};
    double sum = 3;
    int64_t first = 0, last = 0;
    check(doall_mpi_for(w, -7, n - 7, run_one, &job, &options) == DOALL_MPI_WRONG, "wrong costs");
    check(strstr(doall_mpi_why(w), "iterations, expected the loop's") != NULL, doall_mpi_why(w));
    check(doall_mpi_reduce(w, 0, n, &sum, sizeof sum, add, combine, NULL, &options) ==
                  DOALL_MPI_WRONG &&
              sum == 3,
          "a reduction's wrong costs");
    const doall_mpi_options none = {.between = between[i / 2], .costs = &of_none};
    check(doall_mpi_for(w, 5, 5, run_one, &job, &none) == 0, "an empty loop with no costs");
    doall_mpi_share(w, 0, n, costs[i % 2], &first, &last);
    check(0 <= first && first <= last && last <= n, "a share by wrong costs");
  }
}

static void run_share(doall_mpi_world* w) {
  const doall_costs costs = doall_costs_of_function(cost_of, NULL, 0);
  for (int costed = 0; costed < 2; ++costed) {
    struct job job = {.stop_at = n};
    const doall_mpi_options options = {
        .between = NULL, .inside = NULL, .costs = costed ? &costs : NULL};
    int64_t first = 0;
    int64_t last = 0;
    doall_mpi_share(w, -7, n - 7, options.costs, &first, &last);
    doall_mpi_for(w, -7, n - 7, run_one, &job, &options);
    for (int64_t i = -7; i < n - 7; ++i) {
      check(job.ran[i + 7] == (first <= i && i < last), "the owner computes");
    }
  }
}

static void run_reductions(doall_mpi_world* w) {
  double here = 0;
  doall_reduce(0, n, &here, sizeof here, add, combine, NULL, NULL);
  const char* const between[] = {NULL, "guided", "dynamic,3"};
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    const int ended = doall_mpi_reduce(w, 0, n, &sum, sizeof sum, add, combine, NULL,
                                       &(doall_mpi_options){.between = between[i]});
    check(ended == 0 && memcmp(&sum, &here, sizeof sum) == 0, "the bits of one machine");
  }
  double none = 3;
  check(doall_mpi_reduce(w, 5, 5, &none, sizeof none, add, combine, NULL, NULL) == 0, "of nothing");
  check(none == 3, "the identity stays");
}

static void run_stops(doall_mpi_world* w) {
  struct job job = {.stop_at = n - 8, .verdict = 5}; /* the last one: one rank's, whichever */
  const int ended = doall_mpi_for(w, -7, n - 7, run_one, &job, NULL);
  const int is_its = doall_mpi_rank(w) == doall_mpi_size(w) - 1;
  check(ended == (is_its ? 5 : DOALL_MPI_ELSEWHERE), "how a stopped loop ends");
  check(strstr(doall_mpi_why(w), "its body returned 5") != NULL, doall_mpi_why(w));
}

static void run_wrong(doall_mpi_world* w) {
  struct job job = {.stop_at = n};
  const doall_mpi_options splits = {.between = "lbs"};
  check(doall_mpi_for(w, 0, 10, run_one, &job, &splits) == DOALL_MPI_WRONG, "a schedule refused");
  check(strstr(doall_mpi_why(w), "splits") != NULL, doall_mpi_why(w));
  const doall_mpi_options unknown = {.between = "gided"};
  check(doall_mpi_for(w, 0, 10, run_one, &job, &unknown) == DOALL_MPI_WRONG, "an unknown one");
  check(strstr(doall_mpi_why(w), "gided") != NULL, doall_mpi_why(w));
  if (doall_mpi_size(w) == 1) return;
  const int64_t last = doall_mpi_rank(w) == 0 ? 10 : 11;
  check(doall_mpi_for(w, 0, last, run_one, &job, NULL) == DOALL_MPI_WRONG, "different loops");
  check(strstr(doall_mpi_why(w), "different calls") != NULL, doall_mpi_why(w));
}

int main(int argc, char** argv) {
  const char* const level = argc > 1 ? argv[1] : "multiple";
  const int wanted = strcmp(level, "multiple") == 0     ? MPI_THREAD_MULTIPLE
                     : strcmp(level, "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                        : MPI_THREAD_FUNNELED;
  const int cases = argc > 2 ? atoi(argv[2]) : 3;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  doall_mpi_world* const w = doall_mpi_begin(MPI_COMM_WORLD);
  for (int i = 0; i < cases; ++i) {
    run_loops(w, NULL);
    run_loops(w, "guided");
    run_loops(w, "wsrw");
    run_share(w);
    run_wrong_costs(w);
    run_reductions(w);
    run_stops(w);
    run_wrong(w);
  }
  run_long_loop(w);
  const int rank = doall_mpi_rank(w);
  doall_mpi_end(w);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) puts(failures != 0 ? "failed" : "all passed");
  return failures != 0;
}
