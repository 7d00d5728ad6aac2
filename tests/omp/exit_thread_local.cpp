// exit() leaves workers asleep: their thread_local objects are not destroyed after the program's
// static ones, which they may use. From the main thread, from a worker's region, in the child of a
// fork, with teams inside teams, and while exit() holds a lock that such a destructor takes.
//
// Each case is a child process, which ends with status 0.
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

struct registry {
  std::mutex lock;
  bool is_alive = true;
  ~registry() { is_alive = false; }
};
registry all;

struct member {
  long used = 0;
  ~member() {
    if (!all.is_alive) {
      [[maybe_unused]] const auto written = write(STDERR_FILENO, "wrong: used when dead\n", 22);
      _exit(3);
    }
    const std::lock_guard hold(all.lock);
  }
};
thread_local member mine;

void use_threads(int threads) {
#pragma omp parallel num_threads(threads)
  if (gettid() != getpid()) ++mine.used;  // the main thread's object ends in exit()
}

void ends_plainly() {
  use_threads(4);
  std::exit(0);
}

void ends_with_inner_teams() {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  use_threads(3);
  std::exit(0);
}

void ends_under_the_lock() {
  use_threads(4);
  all.lock.lock();
  std::exit(0);
}

void ends_in_a_worker() {
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 2) ++mine.used;
#pragma omp barrier
    if (omp_get_thread_num() == 1) std::exit(0);
    for (;;) usleep(1000);
  }
}

[[maybe_unused]] void ends_in_a_child() {
  use_threads(4);
  const pid_t child = fork();
  if (child == 0) ends_plainly();
  int status = -1;
  waitpid(child, &status, 0);
  std::exit(status == 0 ? 0 : 4);
}

int status_of(void (*body)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    _exit(5);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

int main() {
  const struct {
    const char* name;
    void (*body)();
  } cases[] = {{"plainly", ends_plainly},
               {"with inner teams", ends_with_inner_teams},
               {"under the lock", ends_under_the_lock},
// ThreadSanitizer starts no threads in the child of a process that had some; AddressSanitizer takes
// for leaks what the C library keeps for threads that are not in the child.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
               {"in a child", ends_in_a_child},
#endif
               {"in a worker", ends_in_a_worker}};
  int failures = 0;
  for (const auto& [name, body] : cases) {
    for (int round = 0; round < 20; ++round) {
      const int status = status_of(body);
      if (status == 0) continue;
      std::fprintf(stderr, "wrong: a process that ends %s: status %#x\n", name,
                   static_cast<unsigned>(status));
      ++failures;
      break;
    }
  }
  return failures == 0 ? 0 : 1;
}
