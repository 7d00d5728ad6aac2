// Workers' signal masks, started from whatever thread with whatever mask. Faults, which are the
// thread's own, are not blocked. All other signals are as they were in the thread that started the
// workers, as with other OpenMP runtimes: what a profiler or a debugger sends to a worker reaches
// it. What is sent to the process is handled on the main thread as long as it does not block it.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
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
std::atomic<bool> sending{false};   // one of the workers has been chosen
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
constexpr std::array enders = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT, SIGPIPE, SIGXFSZ};

bool is_one_of(std::span<const int> some, int signal) {
  return std::ranges::find(some, signal) != some.end();
}

constexpr std::array notices = {SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD};

// By the mask of who started them.
bool is_blocked_in_workers(const sigset_t& starters, int signal) {
  if (is_one_of(faults, signal)) return false;
  return sigismember(&starters, signal) == 1;
}

void masks_are_right(const sigset_t& starters) {
  on_each_worker([&] {
    if (is_main) return;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (int signal = 1; signal <= SIGRTMAX; ++signal) {
      if (signal == SIGKILL || signal == SIGSTOP) continue;
      if (signal >= 32 && signal < SIGRTMIN) continue;  // the C library's
      expect((sigismember(&mask, signal) == 1) == is_blocked_in_workers(starters, signal),
             "a worker's signal mask");
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

// From one worker: while the main thread handles a signal it blocks the next of its kind.
void goes_to_the_main_thread(int signal) {
  handled = 0;
  on_each_worker([&] {
    if (!is_main && !sending.exchange(true)) kill(getpid(), signal);
  });
  sending = false;
  for (int tries = 0; handled == 0 && tries < 1000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  expect(handled > 0, "a signal sent from a loop was not handled");
}

void set_mask(int how, std::span<const int> signals) {
  sigset_t some;
  sigemptyset(&some);
  for (const int one : signals) sigaddset(&some, one);
  pthread_sigmask(how, &some, nullptr);
}

void handle_here(int signal) {
  struct sigaction action{};
  action.sa_handler = handle;
  sigaction(signal, &action, nullptr);
}

// What profilers and debuggers do: a signal to each thread, which answers.
void reaches_each_worker(int signal) {
  handled = 0;
  handled_elsewhere = 0;
  std::atomic<int> sent{0};
  on_each_worker([&] {
    if (is_main) return;
    ++sent;
    pthread_kill(pthread_self(), signal);  // handled before it returns
  });
  expect(sent > 0 && handled_elsewhere == sent, "a signal sent to a worker was not handled there");
  handled_elsewhere = 0;
}

// In a process whose main thread blocks what it wants to wait for before its first loop.
int wait_for_signals() {
  set_mask(SIG_BLOCK, enders);
  set_mask(SIG_BLOCK, notices);
  sigset_t starters;
  pthread_sigmask(SIG_SETMASK, nullptr, &starters);
  masks_are_right(starters);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD}) {
    handle_here(signal);
    waits_for_the_main_thread(signal);
  }
  expect(handled_elsewhere == 0, "a signal that was blocked everywhere was handled on a worker");
  return failures == 0 ? 0 : 1;
}

void works_when_blocked_before() {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(wait_for_signals());
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect(status == 0, "a program that blocks signals before its first loop");
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
  works_when_blocked_before();
  masks_are_right(before);
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMAX; ++signal) {
    expect(sigismember(&before, signal) == sigismember(&after, signal), "the caller's mask");
  }
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD,
                           SIGPROF, SIGVTALRM, SIGRTMIN + 1}) {
    handle_here(signal);
    for (int times = 0; times < 20; ++times) goes_to_the_main_thread(signal);
  }
  expect(handled_elsewhere == 0, "a signal was handled on a worker");
  for (const int signal : {SIGPROF, SIGVTALRM, SIGALRM, SIGIO, SIGUSR1, SIGUSR2, SIGRTMIN + 1}) {
    handle_here(signal);
    reaches_each_worker(signal);
  }
  if (failures == 0) std::puts("workers have the mask of who started them");
  return failures == 0 ? 0 : 1;
}
