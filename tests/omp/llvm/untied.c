/* Untied tasks: Clang cuts their code at each scheduling point, and asks for the next part. */
#include <omp.h>
#include <string.h>

#include "../check.h"

enum { n = 200 };

static int seen[n];

static void clear(void) { memset(seen, 0, sizeof seen); }
static void check_seen(int times) {
  for (int i = 0; i < n; ++i) CHECK(seen[i] == times);
}
static void see(int i) {
#pragma omp atomic
  seen[i]++;
}

static int fib(int of) {
  if (of < 2) return of;
  int a = 0, b = 0;
#pragma omp task untied shared(a) firstprivate(of)
  a = fib(of - 1);
#pragma omp task untied shared(b) firstprivate(of)
  b = fib(of - 2);
#pragma omp taskwait
  return a + b;
}

static void parts(void) {
  clear();
  int order[2] = {0, 0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; ++i) {
#pragma omp task untied firstprivate(i)
      {
        int children = 0;
#pragma omp task shared(children)
        {
#pragma omp atomic
          children++;
        }
#pragma omp taskwait
        CHECK(children == 1);
#pragma omp taskyield
        see(i);
      }
    }
#pragma omp taskwait
    check_seen(1);
    /* A task that depends on one begins after its last part. */
#pragma omp task untied depend(out : order[0]) shared(order)
    {
      order[0] = 1;
#pragma omp taskyield
      order[0] = 2;
    }
#pragma omp task depend(in : order[0]) shared(order)
    order[1] = order[0];
#pragma omp taskwait
    CHECK(order[1] == 2);
#pragma omp task untied if (0) shared(order)
    {
      order[0] = 3;
#pragma omp taskyield
      order[0] = 4;
    }
    CHECK(order[0] == 4);
  }
}

static void loops(void) {
  clear();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop untied grainsize(3)
  for (int i = 0; i < n; ++i) {
#pragma omp taskyield
    see(i);
  }
  check_seen(1);
}

int main(void) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    parts();
    loops();
    int result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(12);
    CHECK(result == 144);
  }
  return check_result();
}
