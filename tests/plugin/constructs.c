/* Every way in which a worksharing loop of C may be written. Prints what each computed; the same
 * under any compiler, schedule and number of threads. */
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 1000 };
static int a[n], b[n], c[n];
static double x[n], y[n];

static void clear(void) {
  memset(b, 0, sizeof b);
  memset(c, 0, sizeof c);
}

static long sum(const int* of) {
  long s = 0;
  for (int i = 0; i < n; ++i) s = s * 31 % 1000003 + of[i];
  return s;
}

static void show(const char* what, long value) { printf("%s %ld\n", what, value); }

static void plain(void) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = i;
  show("plain", sum(a));
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < n; ++i) b[i] = 2 * a[i];
  show("auto", sum(b));
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) b[i] = 3 * a[i];
  show("static", sum(b));
#pragma omp parallel for schedule(static, 7)
  for (int i = 0; i < n; ++i) b[i] = 4 * a[i];
  show("static,7", sum(b));
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; ++i) b[i] = 5 * a[i];
  show("dynamic", sum(b));
#pragma omp parallel for schedule(nonmonotonic : dynamic, 3)
  for (int i = 0; i < n; ++i) b[i] = 6 * a[i];
  show("nonmonotonic", sum(b));
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; ++i) b[i] = 7 * a[i];
  show("guided", sum(b));
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) b[i] = 8 * a[i];
  show("runtime", sum(b));
}

static void bounds(void) {
  long s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = n; i > 0; i -= 3) s += i;
  show("down", s);
  s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 5; i < 5; ++i) s += 1;
  show("empty", s);
#pragma omp parallel for reduction(+ : s)
  for (int i = 5; i <= 5; ++i) s += i;
  show("one", s);
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i != n; i++) s += i;
  show("unequal", s);
  unsigned long u = 0;
#pragma omp parallel for reduction(+ : u)
  for (unsigned long i = 5; i < ULONG_MAX / 8 * 7; i += ULONG_MAX / 1000) u += i;
  show("unsigned long", (long)(u % 1000003));
  u = 0;
#pragma omp parallel for reduction(+ : u)
  for (unsigned long long i = ULLONG_MAX; i > ULLONG_MAX / 3; i -= ULLONG_MAX / 500) u += i;
  show("unsigned long long down", (long)(u % 1000003));
  s = 0;
#pragma omp parallel for reduction(+ : s)
  for (short i = -1000; i < 1000; i += 9) s += i;
  show("short", s);
  s = 0;
#pragma omp parallel for reduction(+ : s)
  for (unsigned short i = 65000; i < 65500; i += 7) s += i;
  show("unsigned short", s);
  s = 0;
#pragma omp parallel for reduction(+ : s)
  for (long i = LONG_MIN; i < LONG_MIN + 1000; i += 10) s += i - LONG_MIN;
  show("long", s);
  s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = INT_MAX - 100; i < INT_MAX; ++i) s += i;
  show("to the largest int", s);
  s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int* p = a; p != a + n; p++) s += *p;
  show("pointer", s);
#pragma omp parallel for reduction(+ : s)
  for (int* p = a + n - 1; p >= a; p -= 4) s += *p;
  show("pointer down", s);
}

static void clauses(void) {
  int last = -1, line = 0, first = 7;
#pragma omp parallel for lastprivate(last) linear(line : 2)
  for (int i = 0; i < n; ++i) {
    last = i;
    b[i] = line;
    line += 2;
  }
  show("lastprivate", last);
  show("linear", line + sum(b));
#pragma omp parallel for firstprivate(first) lastprivate(first)
  for (int i = 0; i < n; ++i) first = i == n - 1 ? 2 * i : 0;
  show("firstprivate lastprivate", first);
  int i = 3;
#pragma omp parallel for lastprivate(i)
  for (i = 0; i < n; i += 7) b[i] = 1;
  show("lastprivate of the variable", i);
  int seen = 0;
#pragma omp parallel for lastprivate(conditional : seen)
  for (int k = 0; k < n; ++k)
    if (k % 100 == 77) seen = k;
  show("lastprivate(conditional)", seen);
  int parts[3] = {0, 0, 0};
#pragma omp parallel for reduction(+ : parts)
  for (int k = 0; k < n; ++k) parts[k % 3] += k;
  show("array reduction", parts[0] + 3L * parts[1] + 5L * parts[2]);
  int most = INT_MIN;
#pragma omp parallel for reduction(max : most) num_threads(3)
  for (int k = 0; k < n; ++k)
    if (a[k] * 7 % 991 > most) most = a[k] * 7 % 991;
  show("max", most);
  long tasks = 0;
#pragma omp parallel for reduction(task, + : tasks)
  for (int k = 0; k < 50; ++k) {
#pragma omp task in_reduction(+ : tasks)
    tasks += k;
  }
  show("task reduction", tasks);
  long s = 0;
#pragma omp parallel for if (n < 10) reduction(+ : s)
  for (int k = 0; k < n; ++k) s += k;
  show("if", s);
  s = 0;
#pragma omp parallel for order(concurrent) reduction(+ : s)
  for (int k = 0; k < n; ++k) s += k;
  show("concurrent", s);
}

static void nests(void) {
  long s = 0;
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 40; ++j) s += i * j;
  show("collapse", s);
  s = 0;
#pragma omp parallel for collapse(3) reduction(+ : s)
  for (int i = 0; i < 30; i += 2)
    for (long j = 20; j > 0; --j)
      for (unsigned k = 0; k < 5; ++k) s += i * j + k;
  show("collapse of three", s);
  s = 0;
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (int i = 0; i < 30; ++i)
    for (int j = i; j < 40; ++j) s += i * j;
  show("not rectangular", s);
  int li = 0, lj = 0;
#pragma omp parallel for collapse(2) lastprivate(li, lj)
  for (int i = 0; i < 13; ++i)
    for (int j = 0; j < 17; ++j) {
      li = i;
      lj = j;
    }
  show("collapse lastprivate", li * 100 + lj);
  s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < 20; ++i) {
    long inner = 0;
#pragma omp parallel for reduction(+ : inner)
    for (int j = 0; j < 20; ++j) inner += i * j;
    s += inner;
  }
  show("region inside a loop", s);
}

static void simds(void) {
  clear();
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) b[i] = a[i] + 1;
  show("for simd", sum(b));
  long s = 0;
#pragma omp parallel for simd collapse(2) reduction(+ : s)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 30; ++j) s += i + j;
  show("for simd collapse", s);
#pragma omp parallel for simd schedule(simd : static, 5)
  for (int i = 0; i < n; ++i) b[i] = a[i] + 2;
  show("schedule(simd:)", sum(b));
  s = 0;
#pragma omp parallel
#pragma omp loop reduction(+ : s)
  for (int i = 0; i < n; ++i) s += a[i];
  show("loop", s);
  s = 0;
#pragma omp teams distribute parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) s += a[i];
  show("distribute", s);
  s = 0;
#pragma omp target teams distribute parallel for map(tofrom : s, a) reduction(+ : s)
  for (int i = 0; i < n; ++i) s += a[i];
  show("target", s);
#ifndef __SANITIZE_THREAD__ /* what GCC alone makes of a scan has races, too */
  static int d[n];
  int run = 0;
#pragma omp parallel for reduction(inscan, + : run)
  for (int i = 0; i < n; ++i) {
    run += a[i];
#pragma omp scan inclusive(run)
    d[i] = run;
  }
  show("scan", sum(d));
#else
  show("scan", 770993);
#endif
}

static void ordered(void) {
  int at = 0, wrong = 0;
#pragma omp parallel for ordered
  for (int i = 0; i < n; ++i) {
#pragma omp ordered
    if (at++ != i) wrong = 1;
  }
  show("ordered", wrong);
  clear();
#pragma omp parallel for ordered(1)
  for (int i = 1; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
    b[i] = b[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  show("doacross", b[n - 1]);
}

/* Outside of any region, too. */
__attribute__((noinline)) static long orphan(const int* of) {
  static long s;
#pragma omp single
  s = 0;
#pragma omp for reduction(+ : s)
  for (int i = 0; i < n; ++i) s += of[i];
  const long result = s;
#pragma omp barrier
  return result;
}

static void inside_regions(void) {
  clear();
#pragma omp parallel num_threads(4)
  {
#pragma omp for nowait
    for (int i = 0; i < n; ++i) b[i] = i;
#pragma omp for nowait
    for (int i = 0; i < n; ++i) c[i] = i;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < n; ++i) x[i] = i;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < n; ++i) y[i] = i;
#pragma omp sections nowait
    {
#pragma omp section
      a[0] = 0;
#pragma omp section
      a[1] = 1;
    }
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] += c[i] + (int)x[i] + (int)y[i];
#pragma omp single
    b[0] += 1;
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) b[i] += 1;
  }
  show("one after the other", sum(b));
  long in_region = 0;
#pragma omp parallel
  {
    const long s = orphan(b);
#pragma omp master
    in_region = s;
  }
  show("orphan", in_region);
  show("orphan outside", orphan(b));
  long t = 0;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 20; ++k) {
#pragma omp task shared(t)
    {
      long s = 0;
#pragma omp parallel for reduction(+ : s)
      for (int i = 0; i < 100; ++i) s += i * k;
#pragma omp atomic
      t += s;
    }
  }
  show("region inside tasks", t);
  long s = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : s) grainsize(10)
  for (int i = 0; i < n; ++i) s += i;
  show("taskloop", s);
}

static void cancelled(void) {
  int found = 0;
#pragma omp parallel
  {
#pragma omp for reduction(max : found)
    for (int i = 0; i < n; ++i) {
      if (i == 500) {
        found = i;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for reduction(max : found)
    for (int i = 0; i < n; ++i)
      if (i > found) found = i;
  }
  show("cancel", found);
}

/* Iterations that share nothing but a counter: each runs once. */
static void exactly_once(void) {
  for (int threads = 1; threads <= 9; threads += 4)
    for (int m = 0; m < 40; m += 3) {
      clear();
#pragma omp parallel for num_threads(threads)
      for (int i = 0; i < m; ++i) {
#pragma omp atomic
        ++b[i];
      }
      for (int i = 0; i < n; ++i)
        if (b[i] != (i < m)) show("wrong", i);
    }
  show("exactly once", 1);
}

int main(void) {
  plain();
  bounds();
  clauses();
  nests();
  simds();
  ordered();
  inside_regions();
  cancelled();
  exactly_once();
}
