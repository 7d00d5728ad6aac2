/* doall_loop_costs_* and doall_options.costs: costs reach the loop that they are of, and no other.
 */
#include <doall/doall.h>

#include "omp/check.h"

enum { most = 5000 };

static unsigned char seen[most];

static int count(void* context, int64_t i) {
  (void)context;
  __atomic_fetch_add(&seen[i], 1, __ATOMIC_RELAXED);
  return 0;
}

static int add_range(void* context, int64_t first, int64_t last, void* view) {
  (void)context;
  *(int64_t*)view += last - first;
  return 0;
}

static int add_tile(void* context, const doall_tile* tile, void* view) {
  (void)context;
  (void)tile;
  ++*(int64_t*)view;
  return 0;
}

static void add(void* context, void* left, const void* right) {
  (void)context;
  *(int64_t*)left += *(const int64_t*)right;
}

/* How often costs were asked for. */
static uint64_t asked;

static uint64_t cost(void* context, uint64_t iteration) {
  __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
  return iteration * *(const uint64_t*)context;
}

/* Of any loop, but without a function that writes them. */
static doall_costs nowhere(void) {
  doall_costs costs = doall_costs_of_function(cost, NULL, 0);
  costs.write = NULL;
  return costs;
}

static void run(const doall_options* options) {
  for (int i = 0; i < most; ++i) seen[i] = 0;
  CHECK(doall_for(0, most, count, NULL, options) == 0);
  for (int i = 0; i < most; ++i) CHECK(seen[i] == 1);
}

static uint64_t asked_by_loop(const doall_options* options) {
  asked = 0;
  run(options);
  return asked;
}

int main(void) {
  static uint64_t sums[most + 1], weights[most];
  static double reals[most];
  uint64_t factor = 3;
  doall_schedule blocks, guided;
  char why[256];
  doall_set_threads(3);
  for (int i = 0; i < most; ++i) {
    weights[i] = (uint64_t)(i % 50);
    reals[i] = 0.5 * (i % 70);
    sums[i + 1] = sums[i] + weights[i];
  }
  CHECK(doall_schedule_parse("best-static", &blocks, why, sizeof why) == 0);
  CHECK(doall_schedule_parse("guided", &guided, why, sizeof why) == 0);

  /* Named for the next loop, and for that one alone. */
  doall_loop_costs_function(cost, &factor, 1);
  CHECK(asked_by_loop(NULL) == most);
  CHECK(asked_by_loop(NULL) == 0);
  /* The same generation: they are known. Another: they have changed. */
  doall_loop_costs_function(cost, &factor, 1);
  CHECK(asked_by_loop(NULL) == 0);
  doall_loop_costs_function(cost, &factor, 2);
  CHECK(asked_by_loop(NULL) == most);
  /* None: some are looked at. */
  doall_loop_costs_function(cost, &factor, 0);
  CHECK(asked_by_loop(NULL) >= most);
  doall_loop_costs_function(cost, &factor, 0);
  CHECK(asked_by_loop(NULL) == 16);
  factor = 4;
  doall_loop_costs_function(cost, &factor, 0);
  CHECK(asked_by_loop(NULL) >= most);
  /* A schedule that wants none; the costs are gone after it. */
  doall_loop_costs_function(cost, &factor, 3);
  CHECK(asked_by_loop(&(doall_options){.schedule = &guided}) == 0);
  CHECK(asked_by_loop(NULL) == 0);
  /* Hints: neither wants them. */
  doall_loop_costs_function(cost, &factor, 4);
  doall_loop_costs_hint(DOALL_COSTS_GUARDED);
  CHECK(asked_by_loop(NULL) == 0);
  doall_loop_costs_hint(DOALL_COSTS_UNIFORM);
  run(NULL);
  /* What is named later is named. */
  doall_loop_costs_function(cost, &factor, 5);
  doall_loop_costs_name(NULL);
  CHECK(asked_by_loop(NULL) == 0);

  /* The other forms, named and as options. */
  doall_loop_costs_sums(sums, most, 0);
  run(NULL);
  doall_loop_costs_weights(weights, most, 0);
  run(NULL);
  doall_loop_costs_reals(reals, most, 0);
  run(&(doall_options){.schedule = &blocks});
  const doall_costs forms[] = {
      doall_costs_of_sums(sums, most, 0), doall_costs_of_weights(weights, most, 0),
      doall_costs_of_reals(reals, most, 0), doall_costs_of_function(cost, &factor, 0)};
  for (int form = 0; form < 4; ++form) {
    for (int how = 0; how < 3; ++how) {
      const doall_options options = {.schedule = how == 0   ? NULL
                                                 : how == 1 ? &blocks
                                                            : &guided,
                                     .costs = &forms[form]};
      int64_t sum = 0;
      run(&options);
      CHECK(doall_reduce(0, most, &sum, sizeof sum, add_range, add, NULL, &options) == 0);
      CHECK(sum == most);
    }
  }
  /* A loop's own win, and the named ones are left to the next. */
  doall_loop_costs_function(cost, &factor, 6);
  CHECK(asked_by_loop(&(doall_options){.costs = &forms[1]}) == 0);
  CHECK(asked_by_loop(NULL) == most);

  /* Of a reduction: one an iteration, not one a block. */
  int64_t sum = 0;
  doall_loop_costs_function(cost, &factor, 7);
  asked = 0;
  CHECK(doall_reduce(0, most, &sum, sizeof sum, add_range, add, NULL, NULL) == 0);
  CHECK(sum == most && asked == most);
  /* With a generation they are asked for once, of each number of iterations. */
  for (int round = 0; round < 2; ++round) {
    for (int length = most / 2; length <= most; length += most / 2) {
      asked = 0;
      sum = 0;
      doall_loop_costs_function(cost, &factor, 50);
      CHECK(doall_reduce(0, length, &sum, sizeof sum, add_range, add, NULL, NULL) == 0);
      CHECK(sum == length && asked == (round == 0 ? (uint64_t)length : 0));
    }
  }

  /* An empty loop takes what is named for it, and so does one that is refused. */
  doall_costs left;
  doall_loop_costs_function(cost, &factor, 8);
  CHECK(doall_reduce(7, 7, &sum, sizeof sum, add_range, add, NULL, NULL) == 0);
  CHECK(sum == most && doall_loop_costs_take(&left) == 0);
  doall_loop_costs_function(cost, &factor, 8);
  CHECK(doall_for(7, 7, count, NULL, NULL) == 0 && doall_loop_costs_take(&left) == 0);
  const doall_space empty = {.dimensions = 2, .length = {3, 0}};
  doall_loop_costs_function(cost, &factor, 8);
  CHECK(doall_reduce_space(&empty, &sum, sizeof sum, add_tile, add, NULL, NULL) == 0);
  CHECK(sum == most && doall_loop_costs_take(&left) == 0);
  doall_loop_costs_function(cost, &factor, 8);
  CHECK(doall_for_step(0, 7, 0, count, NULL, NULL) == -1 && doall_loop_costs_take(&left) == 0);

  /* Costs of no iterations, or of nothing, are those of no other loop. */
  const doall_costs wrong[] = {
      doall_costs_of_weights(NULL, 0, 0),      doall_costs_of_reals(NULL, 0, 0),
      doall_costs_of_sums(NULL, 0, 0),         doall_costs_of_sums(sums, 0, 0),
      doall_costs_of_weights(weights, 256, 0), nowhere()};
  for (int form = 0; form < 6; ++form) {
    for (int how = 0; how < 2; ++how) {
      const doall_options options = {.schedule = how == 0 ? NULL : &blocks, .costs = &wrong[form]};
      run(&options);
      sum = 0;
      CHECK(doall_reduce(0, most, &sum, sizeof sum, add_range, add, NULL, &options) == 0);
      CHECK(sum == most);
    }
    doall_loop_costs_name(&wrong[form]);
    run(NULL);
  }
  return check_result();
}
