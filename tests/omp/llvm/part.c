/* One half of together.c, compiled twice, by GCC and by Clang: PART is the prefix of its names. */
#include <omp.h>
#include <pthread.h>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(n) JOIN(PART, n)

/* The threads of a region, by number; returns how many there are. */
int NAME(threads)(pthread_t* seen) {
  int count = 0;
#pragma omp parallel
  {
    seen[omp_get_thread_num()] = pthread_self();
#pragma omp master
    count = omp_get_num_threads();
  }
  return count;
}

/* Each thread of a region calls `other`. */
void NAME(call_in_region)(int threads, void (*other)(void*), void* data) {
#pragma omp parallel num_threads(threads)
  other(data);
}

/* What a function sees of the region that called it, whoever compiled that. */
void NAME(count_thread)(void* data) {
  long* counts = data;
#pragma omp critical
  {
    counts[0] += 1;
    counts[1] += omp_get_thread_num();
    counts[2] += omp_get_num_threads();
    counts[3] += omp_get_level();
  }
#pragma omp barrier
#pragma omp for schedule(dynamic, 3) reduction(+ : counts[4 : 1])
  for (int i = 0; i < 100; ++i) counts[4] += i;
#pragma omp for reduction(+ : counts[5 : 1])
  for (int i = 0; i < 100; ++i) counts[5] += i;
}

void NAME(set_threads)(int threads) { omp_set_num_threads(threads); }
int NAME(max_threads)(void) { return omp_get_max_threads(); }
