/* Plain data handed between threads in each way that OpenMP orders; with -DRACE, once
 * in a way that it does not. Built with ThreadSanitizer by tsan.sh. */
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 4, rounds = 50, size = 64, forks = 8 };

static int wrong;
static int slot[threads];

static void expect(int condition) {
  if (!condition) __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
}

/* A region inside of a region, and what each leaves to the one around it. */
static int nested(void) {
  int table[threads][threads], sum = 0;
#pragma omp parallel num_threads(threads)
  {
    const int row = omp_get_thread_num();
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < threads; ++i) table[row][i] = row * i;
#pragma omp barrier
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < threads; ++i) {
      for (int j = 0; j < threads; ++j) sum += table[j][i];
    }
  }
  return sum;
}

/* Of a program with threads, which ThreadSanitizer allows on request. */
static int nested_in_a_child(void) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(nested() == 36 ? 0 : 1);
  }
  waitpid(child, &status, 0);
  return status;
}

/* Tasks that other threads execute, and all that orders them. */
static long node_sum(int depth, const int* leaf) {
  if (depth == 0) return *leaf;
  long left, right;
#pragma omp task shared(left)
  left = node_sum(depth - 1, leaf);
#pragma omp task shared(right)
  right = node_sum(depth - 1, leaf);
#pragma omp taskwait
  return left + right;
}

static void tasks(void) {
  int leaf = 1, cell = 0, copies[8], in_region = 0, by_event = 0;
  long sum = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp single nowait
    {
      leaf = 2;
      expect(node_sum(8, &leaf) == 512);
      for (int i = 0; i < 8; ++i) {
#pragma omp task depend(out : cell)
        cell += 1;
#pragma omp task depend(in : cell)
        copies[i] = cell;
      }
#pragma omp taskgroup
      {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : by_event)
        by_event = 1;
#pragma omp task
        {
          in_region = 5;
          omp_fulfill_event(event);
        }
#pragma omp task depend(in : by_event)
        by_event += in_region;
      }
      expect(by_event == 6);
#pragma omp taskloop reduction(+ : sum) num_tasks(40)
      for (int i = 0; i < 400; ++i) sum += i;
    }
#pragma omp barrier
    expect(cell == 8);
    if (omp_get_thread_num() == threads - 1) {
#pragma omp task
      in_region = 3; /* executed before the region ends */
    }
  }
  expect(in_region == 3 && sum == 79800);
  for (int i = 0; i < 8; ++i) expect(copies[i] == i + 1);
}

int main(void) {
  long sum = 0, in_order = 0, guarded = 0, once = 0, locked = 0;
  int chain[size], loose = 0, last = -1;
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int round = 1; round <= rounds; ++round) {
#pragma omp parallel num_threads(threads)
    {
      const int me = omp_get_thread_num();
      slot[me] = round; /* fork, barrier, join */
#ifndef RACE
#pragma omp barrier
#endif
      expect(slot[(me + 1) % threads] == round);
#pragma omp barrier
#pragma omp critical
      guarded += 1;
#pragma omp critical(named)
      guarded += 0 * once;
      omp_set_lock(&lock);
      locked += 1;
      omp_unset_lock(&lock);
      int shared_by_single = 0;
#pragma omp single copyprivate(shared_by_single)
      {
        once += 1;
        shared_by_single = round;
      }
      expect(shared_by_single == round);
#pragma omp for ordered schedule(dynamic)
      for (int i = 0; i < size; ++i) {
#pragma omp ordered
        in_order = in_order * 3 % 1000003 + i;
      }
#pragma omp for ordered(1) schedule(static, 1)
      for (int i = 0; i < size; ++i) {
#pragma omp ordered depend(sink : i - 1)
        chain[i] = i == 0 ? round : chain[i - 1] + 1;
#pragma omp ordered depend(source)
      }
      /* Whoever is the last to leave, and frees what the loop had, may have waited for nobody. */
#pragma omp for ordered(1) schedule(dynamic) nowait
      for (int i = 0; i < 2; ++i) {
#pragma omp ordered depend(sink : i - 1)
        loose += 1;
#pragma omp ordered depend(source)
      }
#pragma omp for schedule(dynamic) lastprivate(conditional : last)
      for (int i = 0; i < size; ++i)
        if (i % 3 == 0) last = i;
#pragma omp for schedule(guided) reduction(+ : sum)
      for (int i = 0; i < size; ++i) sum += chain[i] - round;
#pragma omp sections
      {
#pragma omp section
        slot[0] = 0;
#pragma omp section
        slot[1] = 0;
      }
#pragma omp single
      {
#pragma omp task
        slot[2] = 0;
#pragma omp taskwait
        slot[2] += 1;
      }
    }
    slot[0] += 1;
    in_order += slot[2];
    tasks();
  }
  omp_destroy_lock(&lock);
  expect(sum == (long)rounds * size * (size - 1) / 2);
  expect(loose == 2 * rounds && last == (size - 1) / 3 * 3);
  for (int levels = 1; levels <= 2; ++levels) {
    omp_set_max_active_levels(levels);
    for (int round = 0; round < rounds; ++round) expect(nested() == 36);
    for (int child = 0; child < forks; ++child) {
      expect(nested_in_a_child() == 0);
      expect(nested() == 36);
    }
  }
  expect(guarded == rounds * threads && locked == rounds * threads && once == rounds);
  if (!wrong) puts("all right");
  return wrong;
}
