/* doall_reduce from C. */
#include <doall/doall.h>

#include <errno.h>
#include <string.h>

#include "native/c/every_schedule.h"
#include "omp/check.h"

static double term(int64_t i) { return (i % 2 == 0 ? 1.0 : -1.0) / (1.0 + (double)i); }

static int add_terms(void* context, int64_t first, int64_t last, void* view) {
  double* sum = view;
  (void)context;
  for (int64_t i = first; i < last; ++i) *sum += term(i);
  return 0;
}

static void add(void* context, void* left, const void* right) {
  (void)context;
  *(double*)left += *(const double*)right;
}

/* A run of equal neighbours' ends: combined in any other order it is another. */
struct span {
  int64_t first, last;
  int holds; /* whether the parts fitted */
  char rest[51];
};

static int cover(void* context, int64_t first, int64_t last, void* view) {
  struct span* s = view;
  (void)context;
  CHECK(s->first == 0 && s->last == 0);
  s->first = first;
  s->last = last;
  return 0;
}

static void join(void* context, void* left, const void* right) {
  struct span* l = left;
  const struct span* r = right;
  (void)context;
  l->holds = l->holds && r->holds && l->last == r->first;
  l->last = r->last;
}

/* A large value: of fewer blocks. */
struct bins {
  uint64_t counts[128];
};

struct calls {
  int blocks, combinations;
};

static int count_bins(void* context, int64_t first, int64_t last, void* view) {
  struct bins* b = view;
  struct calls* calls = context;
  __atomic_fetch_add(&calls->blocks, 1, __ATOMIC_RELAXED);
  for (int64_t i = first; i < last; ++i) ++b->counts[i % 128];
  return 0;
}

static void add_bins(void* context, void* left, const void* right) {
  struct bins* l = left;
  const struct bins* r = right;
  struct calls* calls = context;
  __atomic_fetch_add(&calls->combinations, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 128; ++i) l->counts[i] += r->counts[i];
}

static void check_bins(const doall_options* options, int64_t length, int blocks) {
  struct bins all = {.counts = {0}};
  struct calls calls = {0, 0};
  CHECK(doall_reduce(0, 128 * length, &all, sizeof all, count_bins, add_bins, &calls, options) ==
        0);
  CHECK(calls.blocks == blocks && calls.combinations == blocks - 1);
  for (int i = 0; i < 128; ++i) CHECK(all.counts[i] == (uint64_t)length);
}

static int refuse(void* context, int64_t first, int64_t last, void* view) {
  (void)context, (void)first, (void)last, (void)view;
  return 9;
}

int main(void) {
  uint64_t sums[12346];
  for (int i = 0; i <= 12345; ++i) sums[i] = (uint64_t)i * (uint64_t)i;
  doall_set_threads(3);
  for (size_t i = 0; every_schedule(i) != NULL; ++i) {
    doall_schedule how;
    CHECK(doall_schedule_parse(every_schedule(i), &how, NULL, 0) == 0);
    const doall_options plain = {.schedule = &how};
    const doall_options with_costs = {.schedule = &how, .cost_sums = sums};

    /* The same bits as C++, on any number of threads. */
    static const int64_t lengths[] = {1, 2, 3, 100, 255, 256, 257, 12345};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
      double sum = 0;
      CHECK(doall_reduce(0, lengths[k], &sum, sizeof sum, add_terms, add, NULL, &plain) == 0);
      CHECK(sum == cpp_sum(lengths[k], term));
    }
    double sum = 0;
    CHECK(doall_reduce(0, 12345, &sum, sizeof sum, add_terms, add, NULL, &with_costs) == 0);
    CHECK(sum == cpp_sum(12345, term));

    check_bins(&plain, 100, 64);
    check_bins(&plain, 800, 100);
    check_bins(&plain, 5000, 256);

    struct span all = {.holds = 1};
    CHECK(doall_reduce(-300, 700, &all, sizeof all, cover, join, NULL, &plain) == 0);
    CHECK(all.holds && all.first == -300 && all.last == 700);
  }

  double sum = 7;
  CHECK(doall_reduce(5, 5, &sum, sizeof sum, add_terms, add, NULL, NULL) == 0);
  CHECK(sum == 7);
  CHECK(doall_reduce(0, 10, &sum, sizeof sum, refuse, add, NULL, NULL) == 9);
  CHECK(sum == 7);
  errno = 0;
  CHECK(doall_reduce(0, 1000, &sum, SIZE_MAX / 4, add_terms, add, NULL, NULL) == -1);
  CHECK(errno == ENOMEM && sum == 7);
  return check_result();
}
