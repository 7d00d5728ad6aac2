// fork() while another thread is in its first use of the library: settings, the
// machine, the pool and what is kept of loops are half made. The child's loops work
// all the same.
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

namespace {

using namespace std::chrono_literals;

constexpr int trials = 400;
constexpr int latest_us = 4000;

bool loops_work() {
  const doall::thread_scope three(3);
  const auto count = [](int i) { return i; };
  int sum = doall::parallel_reduce(0, 100, 0, count, std::plus<>{});
  for (const char* how : {"dynamic", "affinity-last"}) {  // the last remembers
    sum += doall::parallel_reduce(0, 100, 0, count, std::plus<>{}, doall::schedule(how));
  }
  return sum == 3 * 4950;
}

// A child that hangs is killed, by us: it may have blocked the signal of an alarm.
bool ended_well(pid_t child, std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return status == 0;
}

// In a process that has not used the library so far.
bool fork_at(std::chrono::microseconds delay) {
  std::atomic<bool> begun{false};
  bool parent_works = false;
  std::thread other([&] {
    begun = true;
    parent_works = loops_work();
  });
  while (!begun) continue;
  const auto due = std::chrono::steady_clock::now() + delay;
  while (std::chrono::steady_clock::now() < due) continue;
  const pid_t child = fork();
  if (child == 0) _exit(loops_work() ? 0 : 1);
  const bool child_works = ended_well(child, 10s);
  other.join();
  return child_works && parent_works;
}

}  // namespace

int main() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  std::puts("skipped: a sanitizer's own locks may be held in the child");
  return 77;
#endif
  setenv("OMP_PROC_BIND", "true", 1);  // the machine is asked for then, which takes long
  for (int trial = 0; trial < trials; ++trial) {
    const int delay_us = trial * latest_us / trials;
    const pid_t parent = fork();
    if (parent == 0) _exit(fork_at(std::chrono::microseconds(delay_us)) ? 0 : 1);
    if (ended_well(parent, 20s)) continue;
    std::fprintf(stderr, "wrong: a fork %d us after the first use began\n", delay_us);
    return 1;
  }
  std::printf("%d children worked\n", trials);
}
