#include "experiments/busy_process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "driver/lane_process.hpp"
#include "lanes/pin.hpp"

namespace doall::bench {
namespace {

[[noreturn]] void be_busy(int cpu) {
  // Its driver may die without a word.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pin_calling_thread(cpu);
  if (sched_getcpu() != cpu) _exit(1);
  raise(SIGSTOP);  // it is there, and is told to begin
  for (;;) asm volatile("");
}

}  // namespace

busy_process::busy_process(int cpu) : pid_(fork()) {
  if (pid_ < 0) {
    throw lane_error(fmt::format("a busy process could not be started: {}", std::strerror(errno)));
  }
  if (pid_ == 0) be_busy(cpu);
  int status = 0;
  waitpid(pid_, &status, WUNTRACED);
  if (!WIFSTOPPED(status)) {
    throw lane_error(fmt::format("a busy process could not be pinned to CPU {}", cpu));
  }
  kill(pid_, SIGCONT);
}

busy_process::~busy_process() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::uint64_t busy_process::cpu_ns() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

}  // namespace doall::bench
