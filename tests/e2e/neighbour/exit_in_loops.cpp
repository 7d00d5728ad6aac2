// A process ends while a detached thread is in its loops: nothing is freed that the thread uses,
// and the process ends. A thousand times, at random moments, in a child each.
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

namespace {

constexpr int rounds = 1000;

std::atomic<int> begun{0};

// Tasks that run nested loops: nobody has leased the workers meanwhile.
[[noreturn]] void run_groups() {
  const doall::thread_scope some(3);
  for (;;) {
    doall::task_group tasks;
    for (int i = 0; i < 8; ++i) {
      tasks.run([] {
        std::atomic<int> ran{0};
        doall::parallel_for(0, 64, [&](int) { ++ran; }, doall::schedule("lbs"));
      });
    }
    tasks.wait();
    ++begun;
  }
}

// Loops that begin while another thread has the workers.
[[noreturn]] void run_beside() {
  for (;;) {
    const doall::thread_scope some(3);
    std::atomic<long> sum{0};
    doall::parallel_for(0, 2000, [&](int i) { sum += i; }, doall::schedule("lbs"));
    ++begun;
  }
}

// Loops of all kinds.
[[noreturn]] void run_any() {
  for (;;) {
    const doall::thread_scope some(3);
    std::atomic<int> ran{0};
    doall::parallel_for(0, 3, [&](int) { ++ran; });
    doall::parallel_reduce(0, 100, 0, [](int i) { return i; }, std::plus<>{});
    for (const char* how : {"affinity-last", "tapering", "static", "hybrid"}) {
      doall::parallel_for(0, 100, [&](int) { ++ran; }, doall::schedule(how));
    }
    ++begun;
  }
}

void wait_us(int us) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < end) continue;
}

[[noreturn]] void end_beside_loops(unsigned round) {
  using work = void (*)();
  constexpr std::array<std::array<work, 2>, 4> pairs = {
      {{run_groups, nullptr}, {run_beside, run_beside}, {run_any, nullptr}, {run_groups, run_any}}};
  std::minstd_rand random(round + 1);
  for (const work each : pairs[round % pairs.size()]) {
    if (each != nullptr) std::thread(each).detach();
  }
  while (begun < 2) std::this_thread::yield();
  wait_us(static_cast<int>(random() % 500));
  std::exit(0);
}

// The child's status, or -1 if it did not end in time.
int status_of(pid_t child) {
  for (int ms = 0; ms < 20000; ++ms) {
    int status = -1;
    if (waitpid(child, &status, WNOHANG) == child) return status;
    usleep(1000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

}  // namespace

int main() {
#if defined(__SANITIZE_THREAD__)
  std::puts("skipped: ThreadSanitizer lets no child of a threaded program start threads");
  return 77;
#endif
  setenv("DOALL_OVERSUBSCRIBE", "true", 1);  // three workers, however few the CPUs
  int failures = 0;
  for (unsigned round = 0; round < rounds && failures < 5; ++round) {
    const pid_t child = fork();
    if (child == 0) end_beside_loops(round);
    const int status = status_of(child);
    if (status == 0) continue;
    std::fprintf(stderr, "wrong: round %u ended with status %#x\n", round,
                 static_cast<unsigned>(status));
    ++failures;
  }
  if (failures == 0) std::printf("%d processes ended\n", rounds);
  return failures == 0 ? 0 : 1;
}
