// A large team that falls asleep asks the kernel for no fences: 64 workers, on whatever CPUs there
// are, go to sleep again and again in a process that the kernel ends at the first membarrier(2).
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doall/doall.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "base/asymmetric_fence.hpp"
#include "support/file_environment.hpp"

namespace doall {
namespace {

// With more workers than CPUs they would take turns for a while before they sleep.
const doall::tests::file_environment passive(__FILE__, "OMP_WAIT_POLICY", "passive");

// In all threads of the process.
bool end_at_membarrier() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

// wait()'s status of a child that runs `body`.
int wait_status_of_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// Loops of a team that falls asleep after each.
std::uint64_t run_loops(std::uint32_t workers) {
  const thread_scope team(workers);
  std::atomic<std::uint64_t> iterations{0};
  for (int loop = 0; loop < 100; ++loop) {
    parallel_for(0, workers, [&](int) { ++iterations; }, schedule("static"));
  }
  return iterations;
}

TEST(ManySleepers, AskForNoMembarrier) {
  EXPECT_EQ(wait_status_of_child([] {
              if (run_loops(64) != 6400) return 1;
              if (!end_at_membarrier()) return 2;
              return run_loops(64) == 6400 ? 0 : 3;
            }),
            0);
}

TEST(ManySleepers, AreTheProcesssThreads) {
  using base::fencing;
  if (base::how_to_fence.now() != fencing::asymmetric) GTEST_SKIP() << "no membarrier";
  EXPECT_EQ(run_loops(16), 1600U);
  // Beside other programs fences may be real for a while, and light again later.
  const fencing how = base::how_to_fence.now();
  EXPECT_TRUE(how == fencing::asymmetric || how == fencing::for_now || how == fencing::retiring)
      << static_cast<int>(how);
  EXPECT_EQ(run_loops(18), 1800U);
  EXPECT_EQ(base::how_to_fence.now(), fencing::symmetric);
}

}  // namespace
}  // namespace doall
