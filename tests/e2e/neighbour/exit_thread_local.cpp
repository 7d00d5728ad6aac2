// The native door at the end of a process: workers are left asleep, so their thread_local objects
// are not destroyed after the program's static ones, and exit() may hold a lock that such a
// destructor takes. And where nobody asked for a report, ending allocates nothing: exit() may be
// called in the handler of a signal that came in the middle of an allocation.
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALLOCATIONS_ARE_THE_SANITIZERS
#endif

namespace {
std::atomic<bool> must_not_allocate{false};
}

#if !defined(ALLOCATIONS_ARE_THE_SANITIZERS) && defined(__GLIBC__)
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* malloc(std::size_t bytes) {
  if (must_not_allocate.load(std::memory_order_relaxed)) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, "wrong: exit allocates\n", 22);
    _exit(6);
  }
  return __libc_malloc(bytes);
}
}
#endif

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

void use_workers() {
  const doall::thread_scope three(3);
  std::atomic<int> inside{0};
  doall::parallel_for(
      0, 3,
      [&](int) {
        if (gettid() != getpid()) ++mine.used;  // the main thread's object ends in exit()
        ++inside;
        for (int ms = 0; ms < 50 && inside < 3; ++ms) usleep(1000);
      },
      doall::schedule::static_());
}

void ends_plainly() {
  use_workers();
  std::exit(0);
}

void ends_under_the_lock() {
  use_workers();
  all.lock.lock();
  std::exit(0);
}

void ends_in_a_stolen_part() {
  const doall::thread_scope three(3);
  doall::parallel_for(
      0, 100,
      [&](int i) {
        if (gettid() != getpid() && i != 99) ++mine.used;
        if (i == 99) std::exit(0);
        usleep(1000);
      },
      doall::schedule("lbs"));
}

void ends_without_memory() {
  use_workers();
  must_not_allocate = true;
  std::exit(0);
}

void ends_unused_without_memory() {
  static_cast<void>(doall_version());
  must_not_allocate = true;
  std::exit(0);
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
#if defined(__SANITIZE_THREAD__)
  std::puts("skipped: ThreadSanitizer lets no child of a threaded program start threads");
  return 77;
#endif
  setenv("DOALL_OVERSUBSCRIBE", "true", 1);  // three workers, however few the CPUs
  unsetenv("DOALL_REPORT_FOLDER");
  const struct {
    const char* name;
    void (*body)();
  } cases[] = {{"plainly", ends_plainly},
               {"under the lock", ends_under_the_lock},
               {"in a stolen part", ends_in_a_stolen_part},
               {"without memory", ends_without_memory},
               {"unused, without memory", ends_unused_without_memory}};
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
  if (failures == 0) std::puts("processes end, and their workers with them");
  return failures == 0 ? 0 : 1;
}
