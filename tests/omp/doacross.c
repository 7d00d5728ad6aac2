/* Loops whose iterations depend on earlier ones: each sees what those did that it names, in every
 * form; and a thread that sleeps until one iteration's source is not woken by those of others. */
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { count = 1500, rows = 40, short_row = 7, long_row = 300 };

/* The length of the chain that ends at each iteration. */
static int length[count];

#define CHAIN(distance, ...)                                              \
  do {                                                                    \
    memset(length, 0, sizeof length);                                     \
    _Pragma("omp parallel num_threads(4)")                                \
    PRAGMA(omp for ordered(1) __VA_ARGS__)                                \
    for (int i = 0; i < count; ++i) {                                     \
      PRAGMA(omp ordered depend(sink : i - distance))                     \
      length[i] = i < distance ? 1 : length[i - distance] + 1;            \
      PRAGMA(omp ordered depend(source))                                  \
    }                                                                     \
    for (int i = 0; i < count; ++i) CHECK(length[i] == i / distance + 1); \
  } while (0)
#define PRAGMA(...) _Pragma(#__VA_ARGS__)

static void chains(void) {
  CHAIN(1, schedule(static));
  CHAIN(1, schedule(static, 1));
  CHAIN(2, schedule(dynamic));
  CHAIN(63, schedule(static, 1));
  CHAIN(64, schedule(guided));
  CHAIN(65, schedule(dynamic, 3));
  CHAIN(700, schedule(static));
}

/* Downwards, by a step that is not 1. */
static void down(void) {
  memset(length, 0, sizeof length);
#pragma omp parallel for num_threads(4) ordered(1) schedule(static, 1)
  for (int i = count - 1; i >= 0; i -= 3) {
#pragma omp ordered depend(sink : i + 6)
    length[i] = i + 6 >= count ? 1 : length[i + 6] + 1;
#pragma omp ordered depend(source)
  }
  for (int i = count - 1; i >= 0; i -= 3) CHECK(length[i] == (count - 1 - i) / 6 + 1);
}

static int most(int a, int b) { return a > b ? a : b; }

/* Rows whose iterations post one after the other: each cell is one more than the larger of the two
 * that it names, and around the cells all are 0. */
#define ROWS(width, ...)                                                    \
  do {                                                                      \
    static int cell[rows + 1][(width) + 1];                                 \
    memset(cell, 0, sizeof cell);                                           \
    PRAGMA(omp parallel for num_threads(4) ordered(2) __VA_ARGS__)          \
    for (int i = 1; i <= rows; ++i) {                                       \
      for (int j = 1; j <= (width); ++j) {                                  \
        PRAGMA(omp ordered depend(sink : i, j - 1) depend(sink : i - 1, j)) \
        cell[i][j] = 1 + most(cell[i][j - 1], cell[i - 1][j]);              \
        PRAGMA(omp ordered depend(source))                                  \
      }                                                                     \
    }                                                                       \
    for (int i = 1; i <= rows; ++i) {                                       \
      for (int j = 1; j <= (width); ++j) CHECK(cell[i][j] == i + j - 1);    \
    }                                                                       \
  } while (0)

static void nests(void) {
  ROWS(short_row, schedule(static, 1));
  ROWS(short_row, schedule(dynamic));
  ROWS(long_row, schedule(static, 1));
  ROWS(long_row, schedule(dynamic, 2));
  ROWS(256, schedule(static, 1));
  ROWS(255, schedule(static));
}

/* In teams inside of a team. */
static void inside(void) {
  omp_set_max_active_levels(2);
  int failed = 0;
#pragma omp parallel num_threads(2) reduction(+ : failed)
  {
    int chain[count];
#pragma omp parallel for num_threads(2) ordered(1) schedule(static, 1)
    for (int i = 0; i < count; ++i) {
#pragma omp ordered depend(sink : i - 1)
      chain[i] = i == 0 ? 1 : chain[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    failed += chain[count - 1] != count;
  }
  CHECK(failed == 0);
}

/* Whether the thread sleeps in the kernel. */
static int sleeps(int thread) {
  char path[64];
  char state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE* file = fopen(path, "r");
  if (file == NULL) return 0;
  int read = fscanf(file, "%*d (%*[^)]) %c", &state);
  fclose(file);
  return read == 1 && state == 'S';
}

/* The runtime calls the kernel by this function: how often it has woken others. */
static int wakes;
static int is_counted;
#if defined(__x86_64__)
long syscall(long number, ...) {
  va_list list;
  long a[6];
  va_start(list, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(list, long);
  va_end(list);
  enum { wake = 1, kind = 127 };
  if (number == SYS_futex && (a[1] & kind) == wake) __atomic_fetch_add(&wakes, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&is_counted, 1, __ATOMIC_RELAXED);
  register long fourth __asm__("r10") = a[3];
  register long fifth __asm__("r8") = a[4];
  register long sixth __asm__("r9") = a[5];
  long result = number;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}
#endif

/* The second of two threads sleeps until the first one's last iteration, while that one posts. */
static void one_sleeps(void) {
  enum { posts = 40000 };
  int thread = 0;
  int woken = 0;
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    int me = omp_get_thread_num();
    if (me == 1) __atomic_store_n(&thread, (int)gettid(), __ATOMIC_RELEASE);
#pragma omp for ordered(1) schedule(static)
    for (int i = 0; i < 2 * posts; ++i) {
      if (i == 0 && omp_get_num_threads() == 2) {
        int it = 0;
        while ((it = __atomic_load_n(&thread, __ATOMIC_ACQUIRE)) == 0 || !sleeps(it)) sched_yield();
        woken = -__atomic_load_n(&wakes, __ATOMIC_RELAXED);
      }
#pragma omp ordered depend(sink : i - 1)
      if (i == posts - 1) woken += __atomic_load_n(&wakes, __ATOMIC_RELAXED);
      sum += i;
#pragma omp ordered depend(source)
    }
  }
  CHECK(sum == (long)posts * (2 * posts - 1));
  if (woken > 200) fprintf(stderr, "called the kernel %d times in %d posts\n", woken, posts);
  CHECK(woken <= 200);
  if (!is_counted) printf("the runtime's calls are not seen\n");
}

int main(void) {
  chains();
  down();
  nests();
  inside();
  one_sleeps();
  return check_result();
}
