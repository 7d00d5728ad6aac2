// fork(): the child's regions work, whatever the parent was in the middle of.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// Three regions with barriers, in which each thread sees what the others did.
static int regions_work(void) {
  int step[4] = {0}, wrong = 0;
  for (int round = 1; round <= 3; ++round) {
#pragma omp parallel num_threads(4)
    {
      step[omp_get_thread_num()] = round;
#pragma omp barrier
      for (int i = 0; i < omp_get_num_threads(); ++i) {
        if (step[i] != round) {
#pragma omp atomic write
          wrong = 1;
        }
      }
#pragma omp barrier
    }
  }
  return !wrong;
}

static int child_works(const char* when) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // a child that hangs is killed
    _exit(regions_work() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) printf("%s: the child ended with status %#x\n", when, status);
  return status == 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int inside = 0, done = 0;

// How many threads of the other region are there when main forks: workers may still be beginning.
// AddressSanitizer's must all be there, for a thread that begins allocates, and the allocator's
// lock is not released in the child (not by GCC 12's).
#if defined(__SANITIZE_ADDRESS__)
enum { awaited = 4 };
#else
enum { awaited = 1 };
#endif

// A thread that stays in a region, its workers waiting in a barrier.
static void* stay_in_region(void* nothing) {
#pragma omp parallel num_threads(4)
  {
    pthread_mutex_lock(&lock);
    ++inside;
    pthread_cond_broadcast(&changed);
    while (omp_get_thread_num() == 0 && !done) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
#pragma omp barrier
  }
  return nothing;
}

static int stacks_taken = 0;

static void* take_a_stack(void* nothing) {
  volatile char written[120000];
  for (unsigned i = 0; i < sizeof written; ++i) written[i] = 0x41;
  __atomic_add_fetch(&stacks_taken, 1, __ATOMIC_SEQ_CST);
  pause();
  return nothing;
}

// Forks in a target region inside nested ones; the child's new threads have the stacks of those
// that are not there.
static int ancestors_are_known(void) {
  int good = 0;
  fflush(stdout);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2) shared(good)
    if (omp_get_thread_num() == 1) {
      pid_t child = -1;
#pragma omp target map(tofrom : child)
      child = fork();
      if (child == 0) {
        alarm(30);
        for (int i = 0; i < 4; ++i) {
          pthread_t other;
          pthread_create(&other, NULL, take_a_stack, NULL);
        }
        while (__atomic_load_n(&stacks_taken, __ATOMIC_SEQ_CST) < 4) usleep(1000);
        _exit(omp_get_ancestor_thread_num(1) == 1 && omp_get_team_size(1) == 2 &&
                      omp_get_ancestor_thread_num(2) == 1
                  ? 0
                  : 1);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (status != 0) printf("in a target region: the child ended with status %#x\n", status);
      good = status == 0;
    }
  }
  return good;
}

int main(void) {
#if defined(__SANITIZE_THREAD__)
  puts("skipped: ThreadSanitizer lets no child of a threaded program start threads");
  return 77;
#endif
  int good = child_works("before any region");
  good &= regions_work();
  good &= child_works("between regions");

  pthread_t other;
  pthread_create(&other, NULL, stay_in_region, NULL);
  pthread_mutex_lock(&lock);
  while (inside < awaited) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 20; ++i) good &= child_works("while another thread is in a region");
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(other, NULL);

  good &= regions_work();
  good &= ancestors_are_known();
  if (good) puts("every child worked");
  return !good;
}
