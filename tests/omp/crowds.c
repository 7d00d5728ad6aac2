// More threads than CPUs: the runtime's own waits, and threads that wait for each other in loops of
// the program's own, as NPB's LU does. Such a thread keeps its CPU for whole time slices. It ends
// only if those that wait inside the runtime leave the CPUs to those that have work.
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"

enum { threads = 8, columns = 64, planes = 6, sweeps = 4 };

// How many planes a thread has finished in this sweep.
static struct {
  _Alignas(128) atomic_int planes;
} finished[threads];

static void wait_for(int thread, int count) {
  while (atomic_load_explicit(&finished[thread].planes, memory_order_acquire) < count) {
  }
}

// A cell of plane k needs its neighbour in that plane and itself in the plane before.
static unsigned next_cell(unsigned before, unsigned neighbour) {
  return before * 3 + neighbour * 5 + 1;
}

static void sweep_serial(unsigned* cells, int backwards) {
  for (int k = 0; k < planes; ++k) {
    unsigned neighbour = 0;
    for (int i = 0; i < columns; ++i) {
      unsigned* const cell = &cells[backwards ? columns - 1 - i : i];
      neighbour = *cell = next_cell(*cell, neighbour);
    }
  }
}

// Thread t's columns; the thread before it in the sweep has finished the plane when it begins. Each
// thread hands the last cell of its columns on, plane by plane.
static unsigned handed_on[threads][planes];

static void sweep(unsigned* cells, int backwards, int size) {
  const int me = omp_get_thread_num();
  const int place = backwards ? size - 1 - me : me;
  const int before = backwards ? me + 1 : me - 1;
  const int begin = columns * place / size;
  const int end = columns * (place + 1) / size;
  for (int k = 0; k < planes; ++k) {
    unsigned neighbour = 0;
    if (place != 0) {
      wait_for(before, k + 1);
      neighbour = handed_on[before][k];
    }
    for (int i = begin; i < end; ++i) {
      unsigned* const cell = &cells[backwards ? columns - 1 - i : i];
      neighbour = *cell = next_cell(*cell, neighbour);
    }
    handed_on[me][k] = neighbour;
    atomic_store_explicit(&finished[me].planes, k + 1, memory_order_release);
  }
}

static int pipeline(void) {
  unsigned expected[columns] = {0};
  unsigned cells[columns] = {0};
  for (int s = 0; s < sweeps; ++s) sweep_serial(expected, s % 2);
#pragma omp parallel num_threads(threads)
  for (int s = 0; s < sweeps; ++s) {
    atomic_store_explicit(&finished[omp_get_thread_num()].planes, 0, memory_order_relaxed);
#pragma omp barrier
    sweep(cells, s % 2, omp_get_num_threads());
#pragma omp barrier
  }
  return memcmp(cells, expected, sizeof cells) != 0;
}

// One thread at a time waits in a loop of its own until all others have come through a construct in
// which they wait for each other, and then joins them.
static int beside_runtime_waits(void) {
  int wrong = 0;
  int counted = 0;
  atomic_int through = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    const int size = omp_get_num_threads();
    for (int round = 0; round < size; ++round) {
      if (omp_get_thread_num() == round) {
        while (atomic_load_explicit(&through, memory_order_acquire) < (round + 1) * (size - 1)) {
        }
      } else {
#pragma omp critical
        ++counted;
        atomic_fetch_add_explicit(&through, 1, memory_order_acq_rel);
      }
#pragma omp barrier
#pragma omp single
      counted += 1;
      wrong += counted != (round + 1) * size;
#pragma omp barrier
    }
  }
  return wrong;
}

// Waits of all kinds follow each other closely, so that some end awake and some asleep.
static int short_waits(void) {
  int wrong = 0;
  for (int i = 0; i < 300; ++i) {
    int singles = 0;
    int in_order = 0;
#pragma omp parallel num_threads(2 + i % 15) reduction(+ : wrong)
    {
#pragma omp single
      ++singles;
#pragma omp for schedule(dynamic) ordered
      for (int n = 0; n < 20; ++n) {
#pragma omp ordered
        wrong += in_order++ != n;
      }
      wrong += singles != 1;
    }
  }
  return wrong;
}

int main(void) {
  CHECK(pipeline() == 0);
  CHECK(beside_runtime_waits() == 0);
  CHECK(short_waits() == 0);
  return check_result();
}
