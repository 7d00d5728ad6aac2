// The program's code runs with the CPUs that the program has: doall moves its own threads beside
// other programs that compute, but not while they run that code. A thread that was started in such
// a moment would keep what it found: it is asked, too.
//
// A child process keeps the last CPU busy meanwhile. The bodies of the calling thread are short, so
// that it waits for workers that do not run.
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#if !defined(__clang__)  // whose form is not linked with the native door
#include <doall/doall.hpp>
#endif

#include "check.h"

namespace {

cpu_set_t cpus_here() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CHECK(sched_getaffinity(0, sizeof cpus, &cpus) == 0);
  return cpus;
}

const cpu_set_t cpus_of_program = cpus_here();

bool has_all_cpus() {
  const cpu_set_t here = cpus_here();
  return CPU_EQUAL(&here, &cpus_of_program);
}

int last_cpu() {
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) last = CPU_ISSET(cpu, &cpus_of_program) ? cpu : last;
  return last;
}

// A process that computes on the last CPU until it is ended.
class busy_process {
 public:
  busy_process() : id_(fork()) {
    if (id_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last_cpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (volatile bool forever = true; forever;) continue;
  }
  ~busy_process() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }

 private:
  pid_t id_;
};

std::atomic<long> bodies{0};
std::atomic<long> moved{0};
std::vector<std::thread> started;

void note() {
  bodies += 1;
  moved += has_all_cpus() ? 0 : 1;
}

void work(long turns) {
  for (long i = 0; i < turns; ++i) asm volatile("");
}

// At the begin and at the end of a part, in threads that it starts, and in teams inside.
void in_regions(int regions) {
  for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(2)
    {
      note();
      if (omp_get_thread_num() == 0) {
        work(1000);
      } else {
        if (i % 100 == 0) started.emplace_back(note);
        work(20'000);
      }
      note();
    }
  }
  for (std::thread& t : started) t.join();
  started.clear();
}

void in_inner_teams(int regions) {
  for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
      {
        note();
        work(omp_get_thread_num() == 0 ? 100 : 5000);
      }
      note();
    }
  }
}

// Tasks that the other threads execute while they wait, and after their parts.
void in_tasks(int regions) {
  for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    for (int t = 0; t < 8; ++t) {
#pragma omp task
      {
        note();
        work(2000);
      }
    }
  }
}

// The native door's parts, and its stolen ones.
void in_native_loops([[maybe_unused]] int loops) {
#if !defined(__clang__)
  for (int i = 0; i < loops; ++i) {
    doall::parallel_for(0, 64, [](int index) {
      if (index % 16 == 0) note();
      work(500);
    });
    doall::parallel_for(0, 4, [](int) {
      doall::parallel_for(0, 16, [](int index) {
        if (index % 8 == 0) note();
        work(500);
      });
    });
  }
#endif
}

}  // namespace

int main() {
  omp_set_max_active_levels(2);
  const busy_process beside;
  in_regions(4000);
  in_inner_teams(1000);
  in_tasks(1000);
  in_native_loops(1000);
  CHECK(bodies > 0);
  if (moved != 0) fprintf(stderr, "%ld of %ld bodies\n", moved.load(), bodies.load());
  CHECK(moved == 0);
  return check_result();
}
