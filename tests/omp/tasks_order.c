/* Random tasks with dependences, from a seed: each must find what it would find in the order in
 * which they are made. A task reads the cells that it names with `in`, changes those with `inout`,
 * and adds to those with `mutexinoutset`, which may come in any order but never at the same time.
 * TASKS_SEED=n repeats a case. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { cells = 12, tasks = 400, items = 3 };

typedef unsigned long long word;
typedef struct {
  int cell[items];
  int kind[items]; /* 0 in, 1 inout, 2 mutexinoutset */
  word expected;   /* what it reads */
  word found;
  int nested;
} one_task;

static word state;
static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % below;
}

static word mixed(word a, word b) {
  a = (a ^ b) * 0x9e3779b97f4a7c15ULL;
  return a ^ (a >> 29);
}

static int busy[cells];

static word run(const one_task* t, int number, word* at, int checks) {
  word read = (word)number;
  for (int i = 0; i < items; ++i) {
    if (t->kind[i] == 2) {
      if (checks) CHECK(__atomic_exchange_n(&busy[t->cell[i]], 1, __ATOMIC_RELAXED) == 0);
      at[t->cell[i]] += (word)number * 77;
      if (checks) __atomic_store_n(&busy[t->cell[i]], 0, __ATOMIC_RELAXED);
    } else {
      read = mixed(read, at[t->cell[i]]);
    }
  }
  for (int i = 0; i < items; ++i) {
    if (t->kind[i] == 1) at[t->cell[i]] = mixed(read, (word)i);
  }
  return read;
}

static void one_case(unsigned seed, int threads) {
  static one_task all[tasks];
  word serial[cells], parallel[cells];
  state = seed;
  const unsigned share = 1 + draw(8);
  for (int n = 0; n < tasks; ++n) {
    one_task* t = &all[n];
    for (int i = 0; i < items; ++i) {
      t->cell[i] = (int)draw(cells);
      const unsigned kind = draw(share + 2);
      t->kind[i] = kind >= 2 ? 0 : (int)kind + 1;
      for (int j = 0; j < i; ++j) {
        if (t->cell[j] == t->cell[i]) i -= 1; /* each cell once */
      }
    }
    t->nested = draw(8) == 0;
  }
  for (int c = 0; c < cells; ++c) serial[c] = parallel[c] = (word)c;
  for (int n = 0; n < tasks; ++n) all[n].expected = run(&all[n], n, serial, 0);

#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int n = 0; n < tasks; ++n) {
    omp_depend_t on0, on1, on2;
    omp_depend_t* const on[items] = {&on0, &on1, &on2};
    for (int i = 0; i < items; ++i) {
      word* cell = &parallel[all[n].cell[i]];
      if (all[n].kind[i] == 0) {
#pragma omp depobj(*on[i]) depend(in : *cell)
      } else if (all[n].kind[i] == 1) {
#pragma omp depobj(*on[i]) depend(inout : *cell)
      } else {
#pragma omp depobj(*on[i]) depend(mutexinoutset : *cell)
      }
    }
#pragma omp task depend(depobj : on0) depend(depobj : on1) depend(depobj : on2) \
    shared(all, parallel) firstprivate(n) if (all[n].expected % 16 != 0)
    {
      if (all[n].nested) {
#pragma omp task
        all[n].found = 0;
#pragma omp taskwait
      }
      all[n].found = run(&all[n], n, parallel, 1);
    }
    for (int i = 0; i < items; ++i) {
#pragma omp depobj(*on[i]) destroy
    }
    if (draw(64) == 0) {
      const int c = (int)draw(cells);
#pragma omp taskwait depend(inout : parallel[c])
    }
  }
  int wrong = 0;
  for (int n = 0; n < tasks; ++n) wrong += all[n].found != all[n].expected;
  for (int c = 0; c < cells; ++c) wrong += parallel[c] != serial[c];
  if (wrong != 0) fprintf(stderr, "to repeat: TASKS_SEED=%u, %d threads\n", seed, threads);
  CHECK(wrong == 0);
}

int main(void) {
  const char* wanted = getenv("TASKS_SEED");
  const unsigned first = wanted != NULL ? (unsigned)atoi(wanted) : 1;
  const unsigned last = wanted != NULL ? first : 60;
  for (unsigned seed = first; seed <= last; ++seed) {
    for (int threads = 1; threads <= 16; threads *= threads == 4 ? 4 : 2) one_case(seed, threads);
  }
  return check_result();
}
