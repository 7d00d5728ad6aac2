// A worker whose part has ended stays at its place until the region ends, if the region's threads
// meet in full barriers, or are released along a tree while no thread has stolen before. Meanwhile
// another thread runs loops of which it would steal: it sleeps, and steals when the region has
// ended.
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include <doall/doall.hpp>

#include "check.h"

namespace {

std::atomic<long> yields{0};

}  // namespace

// The library's calls come here.
extern "C" int sched_yield() noexcept {
  yields += 1;
  return static_cast<int>(syscall(SYS_sched_yield));
}

namespace {

std::atomic<bool> worker_is_done{false};
std::atomic<bool> loops_may_begin{false};
std::atomic<bool> loops_have_run{false};
std::atomic<bool> region_has_ended{false};
std::atomic<bool> helped{false};

void run_loop() {
  const pid_t mine = gettid();
  doall::parallel_for(0, 400, [mine](int) {
    usleep(500);
    if (gettid() == mine) return;
    if (region_has_ended) helped = true;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    setenv("DOALL_BARRIER", "full", 1);
    setenv("DOALL_SPIN_NS", "10000000000", 1);  // it is awake when there is something to steal
    execl("/proc/self/exe", argv[0], "again", nullptr);
  }
  if (omp_get_num_procs() < 2) return 77;  // in a crowd, waiters yield anyway
  std::thread other([] {
    while (!loops_may_begin) usleep(100);
    for (int i = 0; i < 2; ++i) run_loop();
    loops_have_run = true;
    while (!helped) run_loop();
  });
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    worker_is_done = true;
  } else {
    while (!worker_is_done) usleep(100);
    yields = 0;
    loops_may_begin = true;
    while (!loops_have_run) usleep(100);
    if (yields >= 200) fprintf(stderr, "%ld yields\n", yields.load());
    CHECK(yields < 200);
    region_has_ended = true;
  }
  other.join();
  return check_result();
}
