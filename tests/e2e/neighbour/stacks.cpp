// Workers have as much stack as the main thread may: a recursion that passes there passes on them,
// with and without a limit; OMP_STACKSIZE says otherwise. And a thousand of them start, also where
// addresses are scarce. Each case is this program once more, under another limit.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

// Uses so many bytes of stack.
[[gnu::noinline]] int go_down(std::size_t bytes) {
  constexpr std::size_t level = 4096;
  volatile char here[level];
  here[0] = 1;
  here[level - 1] = 1;
  const int deeper = bytes > level ? go_down(bytes - level) : 0;
  return deeper + here[0];
}

// Of the calling thread, which is no main thread.
std::size_t stack_bytes() {
  pthread_attr_t mine;
  std::size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &mine);
  pthread_attr_getstacksize(&mine, &bytes);
  pthread_attr_destroy(&mine);
  return bytes;
}

// Both workers recurse so deep, the caller being one of them; the other has so much stack.
bool recursion_passes(std::size_t deep, std::size_t least, std::size_t most) {
  const doall::thread_scope two(2);
  for (int tries = 0; tries < 50; ++tries) {
    std::atomic<int> inside{0};
    std::atomic<int> right{0};
    std::atomic<int> there{0};
    doall::parallel_for(
        0, 2,
        [&](int) {
          ++inside;
          for (int ms = 0; ms < 200 && inside < 2; ++ms) usleep(1000);
          const bool is_main = gettid() == getpid();
          if (!is_main) {
            there = 1;
            const std::size_t bytes = stack_bytes();
            if (bytes >= least && bytes <= most) ++right;
          }
          if (deep != 0) go_down(deep);
        },
        doall::schedule::static_());
    if (there != 0) return right == 1;
  }
  return false;
}

bool many_start(std::uint32_t workers) {
  const doall::thread_scope many(workers);
  std::atomic<std::uint32_t> ran{0};
  doall::parallel_for(
      0, static_cast<int>(workers), [&](int) { ++ran; }, doall::schedule::static_());
  return ran == workers;
}

struct limits {
  const char* name;
  rlim_t stack;      // soft
  rlim_t addresses;  // soft; RLIM_INFINITY: as it is
  const char* omp_stacksize;
  bool (*holds)();
};

constexpr limits all[] = {
    {"usual", 8 * MiB, RLIM_INFINITY, nullptr,
     [] { return recursion_passes(7 * MiB, 8 * MiB, 9 * MiB); }},
    {"large", 200 * MiB, RLIM_INFINITY, nullptr,
     [] { return recursion_passes(190 * MiB, 200 * MiB, 201 * MiB); }},
    {"larger than workers get", 2000 * MiB, RLIM_INFINITY, nullptr,
     [] { return recursion_passes(250 * MiB, 256 * MiB, 257 * MiB); }},
    {"none", RLIM_INFINITY, RLIM_INFINITY, nullptr,
     [] { return recursion_passes(60 * MiB, 64 * MiB, 65 * MiB); }},
    {"raised by the program itself", 8 * MiB, RLIM_INFINITY, nullptr,
     [] {
       rlimit stack{};
       getrlimit(RLIMIT_STACK, &stack);
       stack.rlim_cur = 100 * MiB;
       setrlimit(RLIMIT_STACK, &stack);
       return recursion_passes(0, 100 * MiB, 101 * MiB);
     }},
    {"OMP_STACKSIZE above it", 8 * MiB, RLIM_INFINITY, "32M",
     [] { return recursion_passes(0, 32 * MiB, 33 * MiB); }},
    {"OMP_STACKSIZE below it", 200 * MiB, RLIM_INFINITY, "1M",
     [] { return recursion_passes(0, 1 * MiB, 2 * MiB); }},
    {"a thousand workers", 2000 * MiB, RLIM_INFINITY, nullptr, [] { return many_start(1000); }},
    {"a thousand workers without a limit", RLIM_INFINITY, RLIM_INFINITY, nullptr,
     [] { return many_start(1000); }},
    {"addresses for a few such stacks", 256 * MiB, 2000 * MiB, nullptr,
     [] { return many_start(20); }},
};
constexpr int count = sizeof all / sizeof all[0];

// False: the system does not let us.
bool limit_softly(int what, rlim_t bytes) {
  rlimit now{};
  getrlimit(what, &now);
  const bool limited = now.rlim_max != RLIM_INFINITY;
  if (limited && (bytes == RLIM_INFINITY || bytes > now.rlim_max)) return false;
  now.rlim_cur = bytes;
  return setrlimit(what, &now) == 0;
}

// 0 or 1; 77 if it cannot be tried.
int run_in_another(const char* self, int which) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(100);
    if (!limit_softly(RLIMIT_STACK, all[which].stack)) _exit(77);
    if (all[which].omp_stacksize != nullptr) setenv("OMP_STACKSIZE", all[which].omp_stacksize, 1);
    execl(self, self, std::to_string(which).c_str(), nullptr);
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int arguments, char** argument) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  std::puts("skipped: a sanitizer's frames and stacks are larger");
  return 77;
#endif
  setenv("DOALL_OVERSUBSCRIBE", "true", 1);  // many workers, however few the CPUs
  if (arguments == 2) {
    const limits& mine = all[std::atoi(argument[1])];
    if (mine.addresses != RLIM_INFINITY && !limit_softly(RLIMIT_AS, mine.addresses)) return 77;
    return mine.holds() ? 0 : 1;
  }
  int failures = 0;
  for (int which = 0; which < count; ++which) {
    const int status = run_in_another("/proc/self/exe", which);
    if (status == 77) std::printf("not tried: %s\n", all[which].name);
    if (status == 0 || status == 77) continue;
    std::fprintf(stderr, "wrong: %s\n", all[which].name);
    ++failures;
  }
  if (failures == 0) std::puts("workers' stacks are as the main thread's");
  return failures == 0 ? 0 : 1;
}
