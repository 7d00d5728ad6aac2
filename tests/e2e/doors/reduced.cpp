// What random programs have found, reduced: each by its name, alone in a process.
//   doors_reduced NAME
// Exits with 0 if all is well; hangs for `hung_s` at most.
//
// Length: a case after the other, which share nothing.
#include <doall/doall.hpp>

#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {

// What a program or its child never takes, on a busy machine and under a sanitizer either.
constexpr unsigned hung_s = 50;  // the test's own limit is 60
constexpr unsigned hung_child_s = 20;

std::mutex lock;

// A thread that waits for a group runs tasks of this group alone: those of the second one,
// which it has given later, take the lock that it holds.
int two_groups() {
  const doall::thread_scope two(2);
  for (int round = 0; round < 1'000; ++round) {
    doall::task_group first;
    doall::task_group second;
    for (int i = 0; i < 4; ++i) {
      first.run([] {});
      second.run([] { const std::lock_guard held(lock); });
    }
    {
      const std::lock_guard held(lock);
      first.wait();
    }
    second.wait();
  }
  return 0;
}

// The child of a fork between a group's tasks and its wait has nobody to wait for.
int fork_in_group() {
  const doall::thread_scope two(2);
  for (int round = 0; round < 100; ++round) {
    doall::task_group tasks;
    std::atomic<bool> begun{false};
    std::atomic<bool> forked{false};
    tasks.run([&] {
      begun = true;
      while (!forked) std::this_thread::yield();
    });
    while (!begun) std::this_thread::yield();  // another thread has it
    const pid_t child = fork();
    if (child == 0) {
      alarm(hung_child_s);
      tasks.wait();
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    forked = true;
    tasks.wait();
    if (status != 0) return 1;
  }
  return 0;
}

// Regions in the parts of several domains run at the same time.
int regions_in_domains() {
  const doall::thread_scope six(6);
  for (int round = 0; round < 1'000; ++round) {
    std::atomic<int> ran{0};
    std::atomic<int> parts{0};
    doall::for_each_domain([&](unsigned, unsigned) {
      ++parts;
#pragma omp parallel for schedule(dynamic) num_threads(2)
      for (int i = 0; i < 16; ++i) ++ran;
    });
    if (ran != 16 * parts) {
      std::fprintf(stderr, "round %d: %d iterations of %d\n", round, ran.load(), 16 * parts);
      return 1;
    }
  }
  return 0;
}

void* run_region(void*) {
#pragma omp parallel num_threads(2)
  usleep(100);
  return nullptr;
}

// In the child of a fork in a region, another thread's region is not that of the thread that
// forked.
int fork_in_region() {
  omp_set_max_active_levels(2);
  pid_t child = -1;
#pragma omp parallel num_threads(3)
  {
#pragma omp barrier  // others that begin allocate: a fork leaves AddressSanitizer's locks taken
    if (omp_get_thread_num() == 0) {
      child = fork();
      if (child == 0) {
        alarm(hung_child_s);
        pthread_t other;
        pthread_create(&other, nullptr, run_region, nullptr);
        pthread_join(other, nullptr);
        const bool same = omp_get_num_threads() == 3;
        run_region(nullptr);
        if (!same) _exit(2);
      }
    }
  }
  if (child == 0) _exit(0);
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) std::fprintf(stderr, "the child's status is %d\n", status);
  return status == 0 ? 0 : 1;
}

// A process ends while a task that another thread has stolen forks.
int fork_at_exit() {
  const doall::thread_scope two(2);
  static std::atomic<bool> begun{false};
  auto* const tasks = new doall::task_group;
  tasks->run([] {
    begun = true;
    usleep(20'000);  // meanwhile the process begins to end
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  });
  while (!begun) std::this_thread::yield();
  return 0;
}

// A process ends while a stolen task waits for a lock that the ending thread holds.
int lock_at_exit() {
  const doall::thread_scope two(2);
  static std::atomic<bool> begun{false};
  lock.lock();
  auto* const tasks = new doall::task_group;
  tasks->run([] {
    begun = true;
    const std::lock_guard held(lock);
  });
  while (!begun) std::this_thread::yield();
  return 0;
}

// The stolen part itself ends the process.
int exit_in_stolen_task() {
  const doall::thread_scope four(4);
  doall::task_group tasks;
  tasks.run([] { exit(0); });
  for (;;) pause();
}

// A thread runs loops that are counted while the process ends.
int report_at_exit() {
  setenv("DOALL_REPORT_FOLDER", "/dev/null/none", 1);
  static std::atomic<int> loops{0};
  std::thread([] {
    const doall::thread_scope two(2);
    for (;; ++loops) {
      doall::parallel_for(
          0, 64, [](int i) { asm volatile(""
                                          :
                                          : "r"(i)); }, doall::schedule::dynamic());
    }
  }).detach();
  while (loops < 100) std::this_thread::yield();
  return 0;
}

// A worker whose offer comes from another worker of the team steals no task in between: this one
// waits for a lock that the team's leader holds. 3,000 rounds, or four seconds of a busy machine.
int lock_around_tree() {
  const doall::thread_scope eight(8);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  for (int round = 0; round < 3'000 && std::chrono::steady_clock::now() < end; ++round) {
    doall::task_group tasks;
    for (int i = 0; i < 4; ++i) {
      tasks.run([] { const std::lock_guard held(lock); });
    }
    {
      const std::lock_guard held(lock);
      doall::parallel_for(0, 20, [](int) {
        for (int spin = 0; spin < 1'000; ++spin) asm volatile("");  // meanwhile tasks are offered
      });
#pragma omp parallel num_threads(8)
      {
#pragma omp barrier
      }
    }
    tasks.wait();
  }
  return 0;
}

// A reduction in any order that begins alone is not stolen from: who is not joined is not combined.
int reduction_beside_thieves() {
  const doall::thread_scope four(4);
  const auto sum_of = [](int n, bool slow) {
    const auto body = [slow](int i) {
      doall::parallel_for(0, slow ? 2'000 : 2, [](int j) { asm volatile("" : : "r"(j)); });
      return i + 1;
    };
    doall::loop_options options;
    options.order = doall::reduce_order::any;
    return doall::parallel_reduce(0, n, 0, body, std::plus<>(), options);
  };
  for (int round = 0; round < 2'000; ++round) {
    const int n = 5 + round % 300;
    const int sum = sum_of(n, round % 16 == 0);
    if (sum == n * (n + 1) / 2) continue;
    std::fprintf(stderr, "round %d: the sum of %d is %d\n", round, n, sum);
    return 1;
  }
  return 0;
}

// A process ends while another of its threads forks: 300 times, or for three seconds (a sanitizer
// looks through the whole memory in each exit).
int forks_beside_exit() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (int round = 0; round < 300 && std::chrono::steady_clock::now() < end; ++round) {
    const pid_t one = fork();
    if (one == 0) {
      alarm(hung_child_s);
      static std::atomic<int> forks{0};
      for (int t = 0; t < 3; ++t) {
        std::thread([] {
          for (;; ++forks) {
            const pid_t child = fork();
            if (child == 0) _exit(0);
            waitpid(child, nullptr, 0);
          }
        }).detach();
      }
      while (forks < 3) std::this_thread::yield();
      exit(0);
    }
    int status = -1;
    waitpid(one, &status, 0);
    if (status == 0) continue;
    std::fprintf(stderr, "round %d: the status is %d\n", round, status);
    return 1;
  }
  return 0;
}

// The child of a fork comes out of a loop whose other workers may be about to steal.
int fork_in_stealing_loop() {
  const doall::thread_scope four(4);
  const auto here = std::this_thread::get_id();
  for (int round = 0; round < 300; ++round) {
    pid_t child = -1;
    doall::parallel_for(
        0, 40,
        [&](int) {
          if (std::this_thread::get_id() != here || child != -1) return;
          child = fork();
          if (child == 0) alarm(hung_child_s);
        },
        doall::schedule::static_steal());
    if (child == 0) _exit(0);
    int status = 0;
    if (child != -1) waitpid(child, &status, 0);
    if (status == 0) continue;
    std::fprintf(stderr, "round %d: the child's status is %d\n", round, status);
    return 1;
  }
  return 0;
}

// Asked for by first_use_at_exit().
std::atomic<bool> use_at_exit{false};

// The loader calls this after all functions that atexit() was given, and before the libraries'
// destructors.
[[gnu::destructor]] void use_first_at_exit() {
  if (!use_at_exit) return;
  static std::atomic<int> groups{0};
  std::thread([] {
    const doall::thread_scope one(1);  // no workers, which would keep everything
    for (;; ++groups) {
      doall::task_group tasks;
      for (int i = 0; i < 4; ++i) tasks.run([] {});
      tasks.wait();
    }
  }).detach();
  while (groups < 100) std::this_thread::yield();
  // Called after the libraries' destructors: the thread goes on.
  on_exit([](int, void*) { usleep(50'000); }, nullptr);
}

// A thread first uses the library while another is in exit(): nothing is freed under it.
// In the child of a fork inside a team's loop another thread leads the next team. While it waits it
// runs what descends from its own loop, not tasks that descend from the loop of the thread that
// forked: those take the lock that it holds.
int fork_beside_team() {
  const doall::thread_scope two(2);
  const auto in_child = [] {
    alarm(hung_child_s);
    doall::task_group tasks;
    std::atomic<bool> is_led{false};
    std::thread leader([&] {
      const doall::thread_scope also_two(2);
      const std::lock_guard held(lock);
      doall::parallel_for(
          0, 2,
          [&](int i) {
            is_led = true;
            if (i == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
          },
          doall::schedule::static_());
    });
    while (!is_led) std::this_thread::yield();
    for (int i = 0; i < 8; ++i) tasks.run([] { const std::lock_guard held(lock); });
    // Loops in which this thread looks whether others want the tasks.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(40);
    while (std::chrono::steady_clock::now() < until)
      doall::parallel_for(0, 1000, [](int i) { asm volatile("" : : "r"(i)); });
    leader.join();
    tasks.wait();
    _exit(0);
  };
  int failures = 0;
  for (int round = 0; round < 10; ++round) {
    std::atomic<pid_t> child{-1};
    doall::parallel_for(
        0, 2,
        [&](int i) {
          if (i != 0) return;
          child = fork();
          if (child == 0) in_child();
        },
        doall::schedule::static_());
    int status = -1;
    waitpid(child, &status, 0);
    failures += status != 0;
  }
  return failures == 0 ? 0 : 1;
}

int first_use_at_exit() {
  use_at_exit = true;
  return 0;
}

// Writes over a stack that glibc hands on.
void use_stack() {
  volatile char much[400'000];
  for (volatile char& c : much) c = 1;
  usleep(20'000);
}

// In the second thread of two regions, one in the other, of which the threads around are gone.
[[noreturn]] void end_in_child() {
  alarm(hung_child_s);
  std::vector<std::thread> others;  // at the same time, so that they get all stacks
  for (int i = 0; i < 12; ++i) others.emplace_back(use_stack);
  for (std::thread& t : others) t.join();
  int sum = omp_get_ancestor_thread_num(1);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += omp_get_level();
  _exit(sum == 1 + 3 * 2 || sum == 1 + 3 ? 0 : 1);
}

// The child of a fork inside two regions: the inner one's leader, whose task is an ancestor of the
// child's, does not exist there, and the next threads get its stack.
int fork_in_nested_region() {
  omp_set_max_active_levels(3);
  int failures = 0;
  for (int round = 0; round < 20; ++round) {
    std::thread([&] {
      omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
      {
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
          {
#pragma omp barrier  // as in fork_in_region()
            if (omp_get_thread_num() == 1) {
              const pid_t child = fork();
              if (child == 0) end_in_child();
              int status = -1;
              waitpid(child, &status, 0);
              failures += status != 0;
            }
          }
        }
      }
    }).join();
  }
  return failures == 0 ? 0 : 1;
}

struct named {
  const char* name;
  int (*run)();
};
constexpr named all[] = {
    {"two_groups", two_groups},
    {"fork_in_group", fork_in_group},
    {"regions_in_domains", regions_in_domains},
    {"fork_in_region", fork_in_region},
    {"fork_at_exit", fork_at_exit},
    {"lock_at_exit", lock_at_exit},
    {"exit_in_stolen_task", exit_in_stolen_task},
    {"report_at_exit", report_at_exit},
    {"lock_around_tree", lock_around_tree},
    {"reduction_beside_thieves", reduction_beside_thieves},
    {"forks_beside_exit", forks_beside_exit},
    {"fork_in_stealing_loop", fork_in_stealing_loop},
    {"fork_in_nested_region", fork_in_nested_region},
    {"fork_beside_team", fork_beside_team},
    {"first_use_at_exit", first_use_at_exit},
};

}  // namespace

int main(int count, char** arguments) {
  setenv("DOALL_OVERSUBSCRIBE", "true", 0);
  setenv("DOALL_DOMAINS", "3,3", 0);
  for (const named& n : all) {
    if (count != 2 || std::strcmp(arguments[1], n.name) != 0) continue;
    alarm(hung_s);
    return n.run();
  }
  std::fprintf(stderr, "usage: doors_reduced NAME\n");
  return 2;
}
