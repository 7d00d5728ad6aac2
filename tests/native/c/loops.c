/* doall_for, doall_for_step and doall_for_range from C. */
#include <doall/doall.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "native/c/every_schedule.h"
#include "omp/check.h"

enum { most = 1000 };

struct ledger {
  int64_t base;
  int seen[most];
  int stop_at; /* what is left of an index divided by 1000 */
};

static int note(void* context, int64_t i) {
  struct ledger* l = context;
  CHECK(i >= l->base && i < l->base + most);
  __atomic_fetch_add(&l->seen[i - l->base], 1, __ATOMIC_RELAXED);
  return 0;
}

static int note_range(void* context, int64_t first, int64_t last) {
  CHECK(first < last);
  for (int64_t i = first; i < last; ++i) note(context, i);
  return 0;
}

/* The indices that a serial loop has are there once, and no others. */
static void check_ledger(const struct ledger* l, int64_t first, int64_t last, int64_t step) {
  int wanted[most] = {0};
  for (int64_t i = first; step > 0 ? i < last : i > last; i += step) wanted[i - l->base] = 1;
  CHECK(memcmp(wanted, l->seen, sizeof wanted) == 0);
}

static void runs_each_index_once(const doall_options* options) {
  static const struct {
    int64_t first, last, step;
  } loops[] = {{0, 1000, 1},   {0, 1000, 7}, {999, -1, -1}, {999, 0, -13}, {-500, 500, 3},
               {-1, -500, -2}, {5, 5, 1},    {5, 4, 1},     {4, 5, -1},    {3, 4, 1000}};
  for (size_t k = 0; k < sizeof loops / sizeof *loops; ++k) {
    struct ledger l = {.base = loops[k].first < 0 || loops[k].last < -1 ? -500 : 0};
    CHECK(doall_for_step(loops[k].first, loops[k].last, loops[k].step, note, &l, options) == 0);
    check_ledger(&l, loops[k].first, loops[k].last, loops[k].step);
  }
  struct ledger by_index = {.base = -300}, by_range = {.base = -300};
  CHECK(doall_for(-300, 700, note, &by_index, options) == 0);
  check_ledger(&by_index, -300, 700, 1);
  CHECK(doall_for_range(-300, 700, note_range, &by_range, options) == 0);
  check_ledger(&by_range, -300, 700, 1);
}

static int stop_at(void* context, int64_t i) {
  struct ledger* l = context;
  return llabs(i % 1000) == l->stop_at ? 42 : 0;
}

static int stop_range(void* context, int64_t first, int64_t last) {
  (void)context, (void)first, (void)last;
  return 43;
}

/* Every partition of these loops is as good as endless. */
static void stops_inside_of_a_chunk(const doall_options* options) {
  struct ledger l = {.stop_at = 500};
  CHECK(doall_for(0, INT64_MAX, stop_at, &l, options) == 42);
  CHECK(doall_for_step(INT64_MAX, INT64_MIN, -3, stop_at, &l, options) == 42);
  CHECK(doall_for_range(INT64_MIN, INT64_MAX, stop_range, &l, options) == 43);
}

static int count(void* context, int64_t i) {
  (void)i;
  __atomic_fetch_add((long long*)context, 1, __ATOMIC_RELAXED);
  return 0;
}

static int sum_range(void* context, int64_t first, int64_t last) {
  __atomic_fetch_add((uint64_t*)context, (uint64_t)last - (uint64_t)first, __ATOMIC_RELAXED);
  return 0;
}

int main(void) {
  const uint32_t outside = doall_set_threads(3);
  CHECK(outside == 0);
  CHECK(doall_threads() == 3);

  for (size_t i = 0; every_schedule(i) != NULL; ++i) {
    doall_schedule how;
    char why[256];
    CHECK(doall_schedule_parse(every_schedule(i), &how, why, sizeof why) == 0);
    runs_each_index_once(&(doall_options){.schedule = &how});
    stops_inside_of_a_chunk(&(doall_options){.schedule = &how});

    uint64_t sums[most + 1];
    for (int s = 0; s <= most; ++s) sums[s] = (uint64_t)s * (uint64_t)s;
    long long calls = 0;
    CHECK(doall_for(0, most, count, &calls,
                    &(doall_options){.schedule = &how, .cost_sums = sums}) == 0);
    CHECK(calls == most);
  }
  runs_each_index_once(NULL);

  /* The ends of the type, and beyond. */
  long long calls = 0;
  CHECK(doall_for_step(INT64_MIN, INT64_MAX, INT64_MAX, count, &calls, NULL) == 0);
  CHECK(calls == 3);
  calls = 0;
  CHECK(doall_for_step(INT64_MAX, INT64_MIN, INT64_MIN, count, &calls, NULL) == 0);
  CHECK(calls == 2);
  uint64_t covered = 0;
  CHECK(doall_for_range(INT64_MIN, INT64_MAX, sum_range, &covered, NULL) == 0);
  CHECK(covered == UINT64_MAX);

  errno = 0;
  calls = 0;
  CHECK(doall_for_step(0, 10, 0, count, &calls, NULL) == -1);
  CHECK(errno == EINVAL && calls == 0);

  doall_schedule how;
  char why[256] = "";
  CHECK(doall_schedule_parse("giuded", &how, why, sizeof why) == -1);
  CHECK(strstr(why, "guided") != NULL);

  CHECK(doall_set_threads(1) == 3);
  CHECK(doall_threads() == 1);
  runs_each_index_once(NULL);
  CHECK(doall_set_threads(UINT32_MAX) == 1);
  CHECK(doall_threads() == 1024);
  CHECK(doall_set_threads(outside) == 1024);
  CHECK(strchr(doall_version(), '.') != NULL);
  return check_result();
}
