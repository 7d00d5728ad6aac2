/* Locks, nestable locks, critical and atomic sections: counters that are only
 * right when the sections exclude each other, from OpenMP's threads and others. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "check.h"

enum { threads = 8, rounds = 5000 };

static omp_lock_t lock;
static omp_nest_lock_t nest;
static long counts[5];
static int inside;

static void count_under_lock(void) {
  omp_set_lock(&lock);
  ++counts[0];
  omp_unset_lock(&lock);
}

static void* foreign(void* unused) {
  for (int i = 0; i < rounds; ++i) count_under_lock();
  omp_set_nest_lock(&nest);
  ++counts[1];
  omp_unset_nest_lock(&nest);
  return unused;
}

static void contended(void) {
  pthread_t other;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  CHECK(pthread_create(&other, NULL, foreign, NULL) == 0);
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < rounds; ++i) {
    count_under_lock();
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++counts[1];
    omp_unset_nest_lock(&nest);
    ++inside;
    CHECK(inside == 1);
    --inside;
    omp_unset_nest_lock(&nest);
#pragma omp critical
    ++counts[2];
#pragma omp critical(one)
    ++counts[3];
#pragma omp critical(other)
    ++counts[4];
  }
  pthread_join(other, NULL);
  CHECK(counts[0] == (threads + 1L) * rounds);
  CHECK(counts[1] == (long)threads * rounds + 1);
  for (int i = 2; i < 5; ++i) CHECK(counts[i] == (long)threads * rounds);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

/* A sleeper for longer than any spin is woken. */
static void slept(void) {
  int order = 0;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 0) {
      usleep(50000);
      order = 1;
      omp_unset_lock(&lock);
    } else {
      omp_set_lock(&lock);
      CHECK(order == 1);
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
}

static void tests(void) {
  omp_init_lock(&lock);
  CHECK(omp_test_lock(&lock));
  CHECK(!omp_test_lock(&lock));
  omp_unset_lock(&lock);
  CHECK(omp_test_lock(&lock));
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);

  omp_init_nest_lock(&nest);
  CHECK(omp_test_nest_lock(&nest) == 1);
  CHECK(omp_test_nest_lock(&nest) == 2);
  omp_set_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
  /* It belongs to the task, as in libgomp; by Clang's door to the thread, as in libomp. */
#ifndef __clang__
#pragma omp task if (0)
  CHECK(omp_test_nest_lock(&nest) == 0);
#pragma omp parallel num_threads(2)
  CHECK(omp_test_nest_lock(&nest) == 0);
#else
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() != 0)
    CHECK(omp_test_nest_lock(&nest) == 0);
  else {
    CHECK(omp_test_nest_lock(&nest) == 3);
    omp_unset_nest_lock(&nest);
  }
#endif
  omp_unset_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
#pragma omp task if (0)
  {
    CHECK(omp_test_nest_lock(&nest) == 1);
    omp_unset_nest_lock(&nest);
  }
  omp_destroy_nest_lock(&nest);
}

/* No instruction updates a long double: the compiler calls GOMP_atomic_start. */
static void atomics(void) {
  long double sum = 0;
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < rounds; ++i) {
#pragma omp atomic
    sum += 1;
  }
  CHECK(sum == (long double)threads * rounds);
}

/* The locks of GCC 4.2's libgomp, by the symbols' old version. */
struct old_nest_lock {
  int words[2];
};
extern void old_init_nest(struct old_nest_lock*);
extern void old_set_nest(struct old_nest_lock*);
extern void old_unset_nest(struct old_nest_lock*);
extern int old_test_nest(struct old_nest_lock*);
extern void old_set(int*);
extern void old_unset(int*);
__asm__(".symver old_init_nest, omp_init_nest_lock@OMP_1.0");
__asm__(".symver old_set_nest, omp_set_nest_lock@OMP_1.0");
__asm__(".symver old_unset_nest, omp_unset_nest_lock@OMP_1.0");
__asm__(".symver old_test_nest, omp_test_nest_lock@OMP_1.0");
__asm__(".symver old_set, omp_set_lock@OMP_1.0");
__asm__(".symver old_unset, omp_unset_lock@OMP_1.0");

static void old_versions(void) {
  struct {
    struct old_nest_lock lock;
    int guard;
  } place = {{{0, 0}}, 12345};
  int plain = 0;
  long nested_count = 0, count = 0;
  old_init_nest(&place.lock);
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < rounds; ++i) {
    old_set_nest(&place.lock);
    CHECK(old_test_nest(&place.lock) == 2);
    ++nested_count;
    old_unset_nest(&place.lock);
    old_unset_nest(&place.lock);
    old_set(&plain);
    ++count;
    old_unset(&plain);
  }
  CHECK(nested_count == (long)threads * rounds);
  CHECK(count == (long)threads * rounds);
  CHECK(place.guard == 12345);
}

int main(void) {
  contended();
  slept();
  tests();
  atomics();
  old_versions();
  return check_result();
}
