// Worksharing that is not a plain loop: sections, single, copyprivate, barriers,
// conditional lastprivate, inclusive scans and reductions with task modifiers.
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
static void expect(const char* what, long got, long wanted) {
  if (got == wanted) return;
  printf("%s: %ld, expected %ld\n", what, got, wanted);
  ++failures;
}

static void sections(void) {
  int hits[5] = {0};
  int last = 0;
#pragma omp parallel
  {
#pragma omp sections lastprivate(last)
    {
#pragma omp section
      hits[0]++;
#pragma omp section
      hits[1]++;
#pragma omp section
      {
        hits[2]++;
        last = 3;
      }
    }
  }
#pragma omp parallel sections
  {
#pragma omp section
    hits[3]++;
#pragma omp section
    hits[4]++;
  }
  for (int i = 0; i < 5; ++i) expect("section", hits[i], 1);
  expect("lastprivate of sections", last, 3);
}

static void singles(void) {
  int alone = 0, wrong = 0, threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int round = 0; round < 50; ++round) {
#pragma omp single nowait
      {
#pragma omp atomic
        alone++;
      }
    }
#pragma omp barrier
    int given = -1;
    for (int round = 0; round < 20; ++round) {
#pragma omp single copyprivate(given)
      given = 1000 + round;
      if (given != 1000 + round) {
#pragma omp atomic
        wrong++;
      }
    }
  }
  expect("singles", alone, 50);
  expect("copyprivate", wrong, 0);
  expect("threads", threads, omp_get_max_threads());
}

static void barriers(void) {
  enum { rounds = 100 };
  int arrived = 0, wrong = 0;
#pragma omp parallel
  for (int round = 1; round <= rounds; ++round) {
#pragma omp atomic
    arrived++;
#pragma omp barrier
    int now;
#pragma omp atomic read
    now = arrived;
    if (now < round * omp_get_num_threads()) {
#pragma omp atomic
      wrong++;
    }
#pragma omp barrier
  }
  expect("barriers", wrong, 0);
}

static void conditional_last(void) {
  int found = -1;
#pragma omp parallel for schedule(runtime) lastprivate(conditional : found)
  for (int i = 0; i < 1000; ++i) {
    if (i % 37 == 5) found = i;
  }
  expect("conditional lastprivate", found, 5 + 26 * 37);
}

static void scan(void) {
  enum { n = 500 };
  static long prefix[n];
  long sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; ++i) {
    sum += i;
#pragma omp scan inclusive(sum)
    prefix[i] = sum;
  }
  long alone = 0, wrong = 0;
  for (int i = 0; i < n; ++i) {
    alone += i;
    wrong += prefix[i] != alone;
  }
  expect("inclusive scan", wrong, 0);
  expect("sum of the scan", sum, alone);
}

static void task_reductions(void) {
  long a = 0, b = 0, c = 0;
#pragma omp parallel reduction(task, + : a)
  {
#pragma omp task in_reduction(+ : a)
    a += 5;
    a += 1;
  }
  expect("parallel with task reduction", a, 6L * omp_get_max_threads());
#pragma omp parallel for schedule(runtime) reduction(task, + : b)
  for (int i = 0; i < 200; ++i) {
#pragma omp task in_reduction(+ : b)
    b += i;
  }
  expect("loop with task reduction", b, 199 * 100);
#pragma omp parallel
#pragma omp sections reduction(task, + : c)
  {
#pragma omp section
    {
#pragma omp task in_reduction(+ : c)
      c += 10;
    }
#pragma omp section
    c += 1;
  }
  expect("sections with task reduction", c, 11);
}

int main(void) {
  for (int round = 0; round < 10; ++round) {
    sections();
    singles();
    barriers();
    conditional_last();
    scan();
    task_reductions();
  }
  if (failures == 0) puts("all constructs gave the right answer");
  return failures != 0;
}
