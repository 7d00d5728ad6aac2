// Several threads of the program have regions open at the same time: each region has the threads
// that it asks for, however long the others stay, and the process keeps no more than they need.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "threads_alive.h"

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool may_fork = false;  // its children with threads are not supported
#else
constexpr bool may_fork = true;
#endif

void wait_until(const std::atomic<int>& count, int at_least) {
  while (count < at_least) sched_yield();
}

template <class Body>
void run_on_threads(int callers, Body body) {
  std::vector<std::thread> all;
  for (int i = 0; i < callers; ++i) all.emplace_back([&body, i] { body(i); });
  for (auto& t : all) t.join();
}

// The team's threads wait for each other, in a way of their own. Returns how many there were.
int region_of_waiting_threads(int size) {
  std::atomic<int> came{0};
#pragma omp parallel num_threads(size)
  {
    came += 1;
    wait_until(came, size);
#pragma omp barrier
  }
  return came;
}

// No region ends before all are open.
void all_at_the_same_time(int callers, int size) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> open{0};
    run_on_threads(callers, [&](int) {
#pragma omp parallel num_threads(size)
      {
        CHECK(omp_get_num_threads() == size);
        open += 1;
        wait_until(open, callers * size);
      }
    });
  }
}

// While one thread stays in a region, the others' regions have threads.
void beside_a_region_that_stays() {
  std::atomic<int> up{0};
  std::atomic<int> stop{0};
  std::thread background([&] {
#pragma omp parallel num_threads(2)
    {
      up += 1;
      while (stop == 0) usleep(1000);
    }
  });
  wait_until(up, 2);
  for (int size = 1; size <= 5; ++size) {
    CHECK(region_of_waiting_threads(size) == size);
    long sum = 0;
#pragma omp parallel for num_threads(size) schedule(dynamic, 3) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    CHECK(sum == 1000 * 999 / 2);
  }
  stop = 1;
  background.join();
}

// Ten callers, with regions of two, that come and go.
void a_crowd_of_callers() {
  constexpr int callers = 10;
  const int before = threads_alive();
  for (int generation = 0; generation < 5; ++generation) {
    run_on_threads(callers, [](int caller) {
      for (int round = 0; round < 50; ++round) {
        long sum = 0;
        int size = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
#pragma omp single
          size = omp_get_num_threads();
#pragma omp for schedule(dynamic) nowait
          for (int i = 0; i < 40; ++i) sum += i + caller;
#pragma omp for schedule(static)
          for (int i = 0; i < 40; ++i) sum += 1;
        }
        CHECK(size == 2);
        CHECK(sum == 40 * 39 / 2 + 40 * (caller + 1));
      }
    });
  }
  // The callers have ended, and the workers of as many teams are kept.
  CHECK(threads_alive() <= before + callers + 1);
}

// Threads that a region's thread starts are outside of the region.
void from_a_thread_made_in_a_region() {
#pragma omp parallel num_threads(2)
  {
    std::thread inside([] {
      CHECK(omp_get_level() == 0);
      CHECK(region_of_waiting_threads(3) == 3);
    });
    inside.join();
#pragma omp barrier
  }
}

// Where dyn-var leaves the number to the library a region may have fewer.
void with_dynamic_teams() {
  run_on_threads(4, [](int) {
    omp_set_dynamic(1);
    for (int round = 0; round < 20; ++round) {
      int came = 0;
      int size = 0;
#pragma omp parallel num_threads(3) reduction(+ : came)
      {
#pragma omp master
        size = omp_get_num_threads();
        came += 1;
      }
      CHECK(came == size && size <= 3);
    }
  });
}

template <class Program>
void run_in_child(Program program) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // a child that hangs is killed
    program();
    std::exit(check_failures != 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

// The child goes on as the region's only thread, and has teams of its own.
void fork_in_second_regions() {
  std::atomic<int> open{0};
  run_on_threads(3, [&](int) {
#pragma omp parallel num_threads(2)
    {
      open += 1;
      wait_until(open, 6);
#pragma omp master
      run_in_child([] {
        CHECK(region_of_waiting_threads(1) == 1);
        std::thread([] { CHECK(region_of_waiting_threads(3) == 3); }).join();
        std::_Exit(check_failures != 0);
      });
    }
    CHECK(region_of_waiting_threads(2) == 2);
  });
}

// The main thread leaves, then the holder of the shared team, and then a second caller: the process
// ends with that one.
void second_caller_ends_last() {
  static std::atomic<int> open{0};
  for (int caller = 0; caller < 2; ++caller) {
    std::thread([caller] {
#pragma omp parallel num_threads(2)
      {
        open += 1;
        wait_until(open, 4);
        if (caller == 1) usleep(20000);
      }
      if (caller == 1) usleep(20000);
    }).detach();
  }
  wait_until(open, 4);
  pthread_exit(nullptr);
}

// Callers that still open regions while the process ends.
void exit_beside_callers() {
  static std::atomic<int> open{0};
  for (int caller = 0; caller < 3; ++caller) {
    std::thread([] {
      for (;;) {
#pragma omp parallel num_threads(2)
        open += 1;
      }
    }).detach();
  }
  wait_until(open, 100);
}

void leading_domains(int callers, int domains) {
  std::atomic<int> open{0};
  run_on_threads(callers, [&](int) {
#pragma omp parallel num_threads(domains) proc_bind(spread)
    {
      CHECK(omp_get_num_threads() == domains);
      open += 1;
      wait_until(open, callers * domains);
#pragma omp parallel num_threads(2) proc_bind(close)
      {
        CHECK(omp_get_num_threads() == 2);
        CHECK(omp_get_level() == 2);
      }
    }
  });
}

void within_the_limit(int callers, int limit) {
  std::atomic<int> open{0};
  run_on_threads(callers, [&](int) {
#pragma omp parallel num_threads(limit + 2)
    {
      CHECK(omp_get_num_threads() == limit);
      open += 1;
      wait_until(open, callers * limit);
    }
  });
}

int again(const char* program, const char* what) {
  execl(program, program, what, nullptr);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what.empty()) {
    a_crowd_of_callers();
    all_at_the_same_time(2, 4);
    all_at_the_same_time(5, 3);
    beside_a_region_that_stays();
    from_a_thread_made_in_a_region();
    with_dynamic_teams();
    if (may_fork) {
      fork_in_second_regions();
      run_in_child(second_caller_ends_last);
      run_in_child(exit_beside_callers);
    }
    if (check_result() != 0) return 1;
    setenv("DOALL_DOMAINS", "2,2", 1);
    setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
    return again(argv[0], "domains");
  }
  if (what == "domains") {
    leading_domains(3, 2);
    if (check_result() != 0) return 1;
    setenv("OMP_THREAD_LIMIT", "3", 1);
    return again(argv[0], "limit");
  }
  within_the_limit(3, 3);
  return check_result();
}
