// A signal that is sent to the process is never handled on a worker: workers block
// all, started from whatever thread with whatever mask. Only faults, which are the
// thread's own, are not blocked.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<int> failures{0};

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  ++failures;
}

std::atomic<int> handled{0};
std::atomic<int> handled_elsewhere{0};
thread_local bool is_main = false;  // used once on each thread before a handler may run

void handle(int) {
  ++handled;
  if (!is_main) ++handled_elsewhere;
}

// body() on the main thread and two workers, all of them inside at the same time:
// loops until that comes about, for a loop does not wait for a worker that is late.
template <class Body>
void on_each_worker(Body body) {
  const doall::thread_scope three(3);
  constexpr auto patience = std::chrono::milliseconds(200);
  for (int tries = 0; tries < 50; ++tries) {
    std::atomic<int> inside{0};
    std::atomic<int> ran{0};
    doall::parallel_for(
        0, 3,
        [&](int) {
          ++inside;
          const auto end = std::chrono::steady_clock::now() + patience;
          while (inside < 3 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
          if (inside < 3) return;
          body();
          ++ran;
        },
        doall::schedule::static_());
    if (ran == 3) return;
  }
  expect(false, "three workers never met");
}

constexpr std::array faults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

bool is_fault(int signal) {
  for (const int fault : faults) {
    if (fault == signal) return true;
  }
  return false;
}

void masks_are_right() {
  on_each_worker([] {
    if (is_main) return;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (int signal = 1; signal <= SIGRTMAX; ++signal) {
      if (signal == SIGKILL || signal == SIGSTOP) continue;
      if (signal >= 32 && signal < SIGRTMIN) continue;  // the C library's
      expect(sigismember(&mask, signal) == (is_fault(signal) ? 0 : 1), "a worker's signal mask");
    }
  });
}

// While the main thread blocks it there is nobody to handle a signal; then it does.
void waits_for_the_main_thread(int signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_BLOCK, &one, nullptr);
  handled = 0;
  on_each_worker([&] {
    if (is_main) kill(getpid(), signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  kill(getpid(), signal);  // and with workers that wait
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  expect(handled == 0, "a blocked signal was handled");
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  expect(handled > 0, "a pending signal was not handled");
}

void goes_to_the_main_thread(int signal) {
  handled = 0;
  on_each_worker([&] { kill(getpid(), signal); });
  for (int tries = 0; handled == 0 && tries < 1000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  expect(handled > 0, "a signal sent from a loop was not handled");
}

}  // namespace

int main() {
#if defined(__SANITIZE_THREAD__)
  std::puts("skipped: ThreadSanitizer handles signals later");
  return 77;
#endif
  setenv("DOALL_OVERSUBSCRIBE", "true", 1);  // three workers, however few the CPUs
  is_main = true;
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  masks_are_right();
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMAX; ++signal) {
    expect(sigismember(&before, signal) == sigismember(&after, signal), "the caller's mask");
  }
  for (const int signal : {SIGUSR1, SIGUSR2, SIGTERM, SIGALRM, SIGCHLD, SIGINT, SIGRTMIN + 1}) {
    struct sigaction action{};
    action.sa_handler = handle;
    sigaction(signal, &action, nullptr);
    waits_for_the_main_thread(signal);
    goes_to_the_main_thread(signal);
  }
  expect(handled_elsewhere == 0, "a signal was handled on a worker");
  if (failures == 0) std::puts("workers handle no signal");
  return failures == 0 ? 0 : 1;
}
