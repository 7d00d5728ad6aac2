/* Constructs whose code Clang makes in ways of its own, with any number of threads. */
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { most = 1000 };

static int seen[most];

static void clear(void) { memset(seen, 0, sizeof seen); }
static void see(long i) {
#pragma omp atomic
  seen[i]++;
}
static void check_seen(int count, const char* what) {
  for (int i = 0; i < most; ++i) {
    if (seen[i] != (i < count)) {
      fprintf(stderr, "%s: iteration %d of %d ran %d times\n", what, i, count, seen[i]);
      CHECK(seen[i] == (i < count));
      break;
    }
  }
  clear();
}

#define DO_PRAGMA(text) _Pragma(#text)
#define PRAGMA(...) DO_PRAGMA(__VA_ARGS__)

#define EVERY_SCHEDULE(LOOP)      \
  LOOP(static)                    \
  LOOP(static, 1)                 \
  LOOP(static, 7)                 \
  LOOP(dynamic)                   \
  LOOP(dynamic, 5)                \
  LOOP(guided)                    \
  LOOP(guided, 3)                 \
  LOOP(auto)                      \
  LOOP(runtime)                   \
  LOOP(monotonic : dynamic, 2)    \
  LOOP(nonmonotonic : dynamic, 2) \
  LOOP(simd : static, 4)

static void loops_of(int n) {
#define UP(...)                                                                             \
  {                                                                                         \
    int last = -1;                                                                          \
    PRAGMA(omp parallel) {                                                                  \
      PRAGMA(omp for schedule(__VA_ARGS__) lastprivate(last)) for (int i = 0; i < n; ++i) { \
        see(i);                                                                             \
        last = i;                                                                           \
      }                                                                                     \
    }                                                                                       \
    CHECK(last == n - 1);                                                                   \
    check_seen(n, #__VA_ARGS__);                                                            \
  }
#define DOWN(...)                                                                              \
  {                                                                                            \
    PRAGMA(omp parallel for schedule(__VA_ARGS__)) for (int64_t i = 3 * n - 1; i >= 0; i -= 3) \
        see(i / 3);                                                                            \
    check_seen(n, "down: " #__VA_ARGS__);                                                      \
  }
#define UNSIGNED(...)                                                                           \
  {                                                                                             \
    const uint64_t begin = UINT64_MAX - 2 * most;                                               \
    PRAGMA(omp parallel for schedule(__VA_ARGS__)) for (uint64_t i = begin; i < begin + n; ++i) \
        see((long)(i - begin));                                                                 \
    check_seen(n, "unsigned: " #__VA_ARGS__);                                                   \
  }
#define EDGE(...)                                                                        \
  {                                                                                      \
    const int begin = INT_MAX - n;                                                       \
    PRAGMA(omp parallel for schedule(__VA_ARGS__)) for (int i = begin; i < INT_MAX; ++i) \
        see((long)i - begin);                                                            \
    check_seen(n, "edge: " #__VA_ARGS__);                                                \
  }
  EVERY_SCHEDULE(UP)
  EVERY_SCHEDULE(DOWN)
  EVERY_SCHEDULE(UNSIGNED)
  EVERY_SCHEDULE(EDGE)
}

static void ordered_loops(void) {
#define ORDERED(...)                                                                       \
  {                                                                                        \
    int next = 0;                                                                          \
    PRAGMA(omp parallel for ordered schedule(__VA_ARGS__)) for (int i = 0; i < 100; ++i) { \
      see(i);                                                                              \
      PRAGMA(omp ordered) {                                                                \
        CHECK(next == i);                                                                  \
        ++next;                                                                            \
      }                                                                                    \
    }                                                                                      \
    CHECK(next == 100);                                                                    \
    check_seen(100, "ordered: " #__VA_ARGS__);                                             \
  }
  ORDERED(static)
  ORDERED(static, 3)
  ORDERED(dynamic)
  ORDERED(guided, 2)
  ORDERED(runtime)
  ORDERED(auto)
}

static void doacross_loops(void) {
  static int grid[40][30];
  memset(grid, 0, sizeof grid);
#pragma omp parallel for ordered(2) schedule(dynamic)
  for (int i = 1; i < 40; ++i) {
    for (int j = 1; j < 30; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      const int above = i > 1 ? grid[i - 1][j] : 1;
      const int left = j > 1 ? grid[i][j - 1] : 1;
      grid[i][j] = (above + left) % 1009;
#pragma omp ordered depend(source)
    }
  }
  static int expected[40][30];
  for (int i = 1; i < 40; ++i) {
    for (int j = 1; j < 30; ++j) {
      expected[i][j] = ((i > 1 ? expected[i - 1][j] : 1) + (j > 1 ? expected[i][j - 1] : 1)) % 1009;
    }
  }
  CHECK(memcmp(grid, expected, sizeof grid) == 0);
}

static void reductions(void) {
  int sum = 5, product = 1, least = INT_MAX, all = -1, any = 0;
  double real = 0;
  long array[3] = {0};
#pragma omp parallel for reduction(+ : sum, real, array) reduction(* : product) \
    reduction(min : least) reduction(& : all) reduction(| : any)
  for (int i = 0; i < 200; ++i) {
    sum += i;
    real += i * 0.5;
    array[i % 3] += i;
    if (i < 5) product *= i + 1;
    if (abs(i - 77) < least) least = abs(i - 77);
    all &= ~(i & 8);
    any |= i;
  }
  CHECK(sum == 5 + 19900 && real == 9950 && product == 120 && least == 0);
  CHECK(all == ~8 && any == 255);
  CHECK(array[0] + array[1] + array[2] == 19900 && array[0] == 6633);

  int count = 0;
#pragma omp parallel reduction(+ : count)
  {
    count += 1;
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 10; ++i) sum += i;
    CHECK(sum == 5 + 19900 + 45);
#pragma omp barrier
#pragma omp sections reduction(+ : sum)
    {
      sum += 1;
#pragma omp section
      sum += 2;
#pragma omp section
      sum += 3;
    }
  }
  CHECK(sum == 5 + 19900 + 45 + 6);
  CHECK(count == omp_get_max_threads());
}

static int private_to_thread = 7;
#pragma omp threadprivate(private_to_thread)

static void shared_in_many_ways(void) {
  int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13,
      n = 14, o = 15, p = 16, q = 17, r = 18, s = 19, t = 20;
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    const int sum = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t;
    wrong += sum != 210;
  }
  CHECK(wrong == 0);

  private_to_thread = 42;
#pragma omp parallel copyin(private_to_thread)
  {
    CHECK(private_to_thread == 42);
    private_to_thread = omp_get_thread_num();
#pragma omp barrier
    CHECK(private_to_thread == omp_get_thread_num());
    int broadcast = -1;
#pragma omp single copyprivate(broadcast)
    broadcast = 99;
    CHECK(broadcast == 99);
  }
#pragma omp parallel
  CHECK(private_to_thread == omp_get_thread_num());

  int named = 0, unnamed = 0, singles = 0, master = -1;
#pragma omp parallel
  {
#pragma omp masked
    master = omp_get_thread_num();
#pragma omp single nowait
#pragma omp atomic
    singles++;
#pragma omp critical(named)
    named++;
#pragma omp critical
    unnamed++;
  }
  CHECK(master == 0 && singles == 1 && named == omp_get_max_threads() && unnamed == named);
}

static void regions(void) {
#pragma omp parallel num_threads(3) proc_bind(close)
  CHECK(omp_get_num_threads() == 3);
  for (int condition = 0; condition < 2; ++condition) {
    int size = 0, level = 0, active = 0;
#pragma omp parallel if (condition) num_threads(2)
    {
#pragma omp master
      {
        size = omp_get_num_threads();
        level = omp_get_level();
        active = omp_in_parallel();
      }
    }
    CHECK(size == 1 + condition && level == 1 && active == condition);
  }
  CHECK(omp_get_level() == 0 && omp_get_num_threads() == 1);
}

static void leagues(void) {
  int teams = 0;
#pragma omp teams num_teams(3) thread_limit(4) reduction(+ : teams)
  {
    teams += 1;
    CHECK(omp_get_num_teams() == 3 && omp_get_team_num() < 3);
  }
  CHECK(teams == 3);
#pragma omp teams distribute parallel for num_teams(3)
  for (int i = 0; i < 500; ++i) see(i);
  check_seen(500, "teams distribute parallel for");
#pragma omp teams distribute parallel for num_teams(2) dist_schedule(static, 32) \
    schedule(dynamic, 3)
  for (int i = 0; i < 500; ++i) see(i);
  check_seen(500, "teams distribute parallel for dynamic");
#pragma omp teams distribute num_teams(4)
  for (int i = 0; i < 500; ++i) see(i);
  check_seen(500, "teams distribute");
}

static void atomics(void) {
  int integer = 0;
  short small = 0;
  double real = 0;
  int captured[most] = {0};
#pragma omp parallel for
  for (int i = 0; i < most; ++i) {
    int mine;
#pragma omp atomic capture
    mine = integer++;
#pragma omp atomic
    captured[mine]++;
#pragma omp atomic
    small += 1;
#pragma omp atomic
    real = 1 - real;
  }
  for (int i = 0; i < most; ++i) CHECK(captured[i] == 1);
  CHECK(integer == most && small == most && real == 0);
}

static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a) firstprivate(n)
  a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n) if (n > 5)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tasks(void) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(15);
  CHECK(result == 610);

#pragma omp parallel
#pragma omp single
  {
    int value = 0;
#pragma omp task depend(out : value) shared(value)
    value = 1;
#pragma omp task depend(inout : value) shared(value)
    value = value * 10 + 2;
#pragma omp task depend(in : value) shared(value) if (0)
    CHECK(value == 12);
#pragma omp taskwait depend(in : value)
    CHECK(value == 12);
#pragma omp task final(1)
    CHECK(omp_in_final());

    int last = -1;
#pragma omp taskloop grainsize(7) lastprivate(last)
    for (int i = 0; i < 100; ++i) {
      see(i);
      last = i;
    }
    CHECK(last == 99);
    check_seen(100, "taskloop grainsize");
#pragma omp taskloop num_tasks(6)
    for (int i = 299; i >= 0; i -= 3) see(i / 3);
    check_seen(100, "taskloop num_tasks");

    int sum = 1;
#pragma omp taskgroup task_reduction(+ : sum)
    {
      for (int i = 0; i < 20; ++i) {
#pragma omp task in_reduction(+ : sum)
        sum += i;
      }
    }
    CHECK(sum == 191);
#pragma omp taskloop reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
    CHECK(sum == 191 + 4950);
  }

  int sum = 3;
#pragma omp parallel reduction(task, + : sum)
  {
    sum += 1;
#pragma omp task in_reduction(+ : sum)
    sum += 10;
  }
  CHECK(sum == 3 + 11 * omp_get_max_threads());
}

static void locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int count = 0, nested = 0;
#pragma omp parallel
  for (int i = 0; i < 100; ++i) {
    omp_set_lock(&lock);
    ++count;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    CHECK(omp_test_nest_lock(&nest) == 2);
    ++nested;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  CHECK(count == 100 * omp_get_max_threads() && nested == count);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

static void settings(void) {
  if (getenv("OMP_SCHEDULE") == NULL) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK((kind & ~omp_sched_monotonic) == omp_sched_static);
    omp_set_schedule(omp_sched_guided, 4);
    omp_get_schedule(&kind, &chunk);
    CHECK((kind & ~omp_sched_monotonic) == omp_sched_guided && chunk == 4);
  }
  int* memory = omp_alloc(100 * sizeof *memory, omp_default_mem_alloc);
  CHECK(memory != NULL);
  omp_free(memory, omp_default_mem_alloc);
  memory = kmp_malloc(64);
  CHECK(memory != NULL);
  kmp_free(memory);
  kmp_set_blocktime(30);
  CHECK(kmp_get_blocktime() == 30);
}

int main(void) {
  const int sizes[] = {1, 2, 3, 16, 17, 100, most};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) loops_of(sizes[i]);
  ordered_loops();
  doacross_loops();
  reductions();
  shared_in_many_ways();
  regions();
  leagues();
  atomics();
  tasks();
  locks();
  settings();
  return check_result();
}
