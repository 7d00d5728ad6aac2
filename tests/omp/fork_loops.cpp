// The child of a fork inside of a region goes on there: it runs native loops, after more loops of
// the region than the team's ring has slots, leaves the region, and runs more of both kinds.
#include <omp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int threads = 3;

bool native_works() {
  const doall::thread_scope some(threads);
  std::atomic<int> ran{0};
  doall::parallel_for(0, 100, [&](int) { ++ran; }, doall::schedule::dynamic(1));
  return ran == 100;
}

void loops_in_the_region(int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp for schedule(dynamic) nowait
    for (int k = 0; k < 10; ++k) continue;
  }
}

bool region_works(int loops) {
  std::atomic<int> ran{0};
#pragma omp parallel num_threads(threads)
  {
    loops_in_the_region(loops);
#pragma omp for schedule(dynamic)
    for (int k = 0; k < 10; ++k) ++ran;
  }
  return ran == 10;
}

bool combined_works() {
  std::atomic<int> ran{0};
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int k = 0; k < 10; ++k) ++ran;
  return ran == 10;
}

// The child's loops, of each kind that goes by the ring's number.
bool all_work() {
  bool good = true;
  for (int i = 0; i < 10; ++i) good = good && native_works() && region_works(i) && combined_works();
  return good;
}

// Forks in a region after so many of its loops, and sees how the child ends.
bool child_works(int loops, bool native_inside, bool region_inside) {
  pid_t child = -1;
  bool good = true;
#pragma omp parallel num_threads(threads)
  {
    loops_in_the_region(loops);
#pragma omp barrier
#pragma omp master
    {
      child = fork();
      if (child == 0) {
        alarm(30);  // a child that hangs is killed
        if (native_inside) good = good && native_works() && native_works();
        if (region_inside) good = good && combined_works() && region_works(3);
      }
    }
  }
  if (child == 0) _exit(good && all_work() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  if (status == 0) return true;
  std::fprintf(stderr, "wrong: status %#x after %d loops%s%s\n", status, loops,
               native_inside ? ", native loops inside" : "",
               region_inside ? ", regions inside" : "");
  return false;
}

}  // namespace

int main() {
#if defined(__SANITIZE_THREAD__)
  std::puts("skipped: ThreadSanitizer lets no child of a threaded program start threads");
  return 77;
#endif
  setenv("DOALL_OVERSUBSCRIBE", "true", 1);  // three workers, however few the CPUs
  omp_set_max_active_levels(2);
  bool good = true;
  for (const int loops : {0, 1, 7, 8, 9, 16, 100}) {
    for (const bool native_inside : {false, true}) {
      for (const bool region_inside : {false, true}) {
        good = child_works(loops, native_inside, region_inside) && good;
        good = good && all_work();
      }
    }
  }
  if (good) std::puts("every child worked");
  return good ? 0 : 1;
}
