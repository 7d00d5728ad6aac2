// The child of a fork inside of a region goes on there: it runs native loops, after more loops of
// the region than the team's ring has slots, leaves the region, and runs more of both kinds. So
// does that of a fork in a native loop, in whoever's part.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>

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

// How the child ends that `child` is; 0: nobody forked.
bool ended_well(pid_t child, const char* what) {
  if (child == -1) return true;
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) std::fprintf(stderr, "wrong: status %#x, %s\n", status, what);
  return status == 0;
}

// Its leader has run its own part of a loop, and forks in one that it stole from a nested loop.
bool child_leaves_a_stolen_part() {
  const pid_t parent = getpid();
  const pthread_t leader = pthread_self();
  const doall::thread_scope two(2);
  std::atomic<bool> begun{false};
  std::atomic<bool> forked{false};
  pid_t child = -1;
  doall::parallel_for(
      0, 2,
      [&](int i) {
        for (int ms = 0; i == 0 && ms < 2000 && !begun; ++ms) usleep(1000);
        if (i == 0) return;
        doall::parallel_for(
            0, 60,
            [&](int) {
              begun = true;
              usleep(2000);  // so that some are left for the leader
              if (pthread_equal(leader, pthread_self()) == 0 || forked.exchange(true)) return;
              child = fork();
              if (child == 0) alarm(30);
            },
            doall::schedule::lbs(1));
      },
      doall::schedule::dynamic(1));
  if (getpid() != parent) _exit(native_works() ? 0 : 1);
  return ended_well(child, "forked in a part that the leader stole");
}

// Its leader forks in the part of a worker that did not come in time, when another one has come.
bool child_leaves_a_part_of_another() {
  constexpr int tries = 50;
  const pid_t parent = getpid();
  const pthread_t leader = pthread_self();
  const doall::thread_scope three(3);
  pid_t child = -1;
  for (int i = 0; i < tries && child == -1; ++i) {
    std::atomic<bool> first{false};
    std::atomic<bool> second{false};
    doall::parallel_for(
        0, 3,
        [&](int part) {
          const bool is_leader = pthread_equal(leader, pthread_self()) != 0;
          if (part == 0)
            for (int looks = 0; looks < 10'000'000 && !first && !second; ++looks) continue;
          if (part == 1) first = true;
          if (part == 1 && is_leader && second) child = fork();
          if (child == 0) alarm(30);
          if (part == 2) second = true;
          if (part == 2 && !is_leader) usleep(50'000);  // the leader has to wait for it
        },
        doall::schedule::static_());
    if (getpid() != parent) _exit(native_works() ? 0 : 1);
  }
  return ended_well(child, "forked in the part of a worker that had not come");
}

// A loop of the child, inside the one in which it forked, has as many workers as that.
bool child_has_no_more_threads() {
  const pid_t parent = getpid();
  const doall::thread_scope some(threads);
  pid_t child = -1;
  doall::parallel_for(
      0, threads,
      [&](int i) {
        if (i != 0) return;
        child = fork();
        if (child != 0) return;
        alarm(30);
        doall::parallel_for(0, 60, [&](int) { usleep(1000); });  // long enough to be shared
        const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
        _exit(std::distance(begin(tasks), end(tasks)) <= threads ? 0 : 1);
      },
      doall::schedule::static_());
  if (getpid() != parent) _exit(1);
  return ended_well(child, "the child's nested loop has more threads than were asked for");
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
  for (int i = 0; i < 3; ++i) good = child_leaves_a_stolen_part() && good;
  good = child_leaves_a_part_of_another() && good;
  good = child_has_no_more_threads() && good;
  if (good) std::puts("every child worked");
  return good ? 0 : 1;
}
