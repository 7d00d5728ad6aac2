// src/base/asymmetric_fence: whoever decides, and however the kernel answers, one of
// the two sides sees the other's store.
//
// What depends on how the process began (the environment, a filter of system
// calls) runs in a child: this program again, with one test picked.
#include <errno.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/asymmetric_fence.hpp"
#include "base/cache_line.hpp"
#include "base/rng.hpp"
#include "park/gate.hpp"
#include "support/seeds.hpp"

namespace doall {
namespace {

using base::fencing;

#if defined(DOALL_THREAD_SANITIZER)
const int rounds = 500 * static_cast<int>(tests::times_longer());
#else
const int rounds = 5'000 * static_cast<int>(tests::times_longer());
#endif

fencing decision() { return base::how_to_fence.now(); }

// From now on membarrier(2) fails in this process and its children.
bool forbid_membarrier(unsigned answer = SECCOMP_RET_ERRNO | EPERM) {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// The exit status of a child that runs `body`; what it returns, unless a test failed there.
int status_of_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    const int status = body();
    _exit(testing::Test::HasFailure() ? 100 : status);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

// Runs one test of this program from its beginning, under `before`.
int status_of_rerun(const char* test, const std::function<bool()>& before) {
  return status_of_child([&] {
    if (!before()) return 101;
    const std::string filter = std::string("--gtest_filter=") + test;
    execl("/proc/self/exe", "park_tests", "--file=unit_park_fences", filter.c_str(),
          "--gtest_also_run_disabled_tests", nullptr);
    return 102;
  });
}

// Two threads meet, each stores to its own word and loads the other's; `rounds` times.
class four_accesses {
 public:
  // How often both missed the other's store, of so many times.
  int run(int times = rounds) {
    std::thread other([&] { go(often_, rarely_, sync::light_fence, 1, times); });
    go(rarely_, often_, sync::heavy_fence, 2, times);
    other.join();
    int both_missed = 0;
    for (int i = 0; i < times; ++i) both_missed += often_.missed[i] && rarely_.missed[i];
    return both_missed;
  }

 private:
  struct side {
    alignas(base::apart_bytes) sync::atomic<int> word{0};
    alignas(base::apart_bytes) sync::atomic<int> arrived{0};
    std::vector<bool> missed;
  };

  static void go(side& mine, side& others, void (*fence)(), std::uint64_t seed, int times) {
    base::rng random(seed);
    for (int i = 1; i <= times; ++i) {
      mine.arrived.store(i);
      for (int looks = 0; others.arrived.load() < i; ++looks) {
        looks < 1000 ? sync::relax() : sync::yield();
      }
      // The windows are some 100 ns wide and need not lie above each other.
      for (std::uint64_t wait = random.below(300); wait > 0; --wait) sync::compiler_fence();
      mine.word.store(i, sync::relaxed);
      fence();
      mine.missed.push_back(others.word.load(sync::relaxed) < i);
    }
  }

  side often_;
  side rarely_;
};

// A gate at which a thread sleeps and is woken, again and again; a lost wake-up hangs.
void sleep_and_wake() {
  park::gate gate;
  sync::atomic<int> turn{0};
  std::thread other([&] {
    for (int i = 0; i < rounds; i += 2) {
      gate.wait([&] { return turn.load(sync::acquire) == i + 1; }, 0);
      turn.store(i + 2, sync::release);
      gate.open();
    }
  });
  for (int i = 0; i < rounds; i += 2) {
    turn.store(i + 1, sync::release);
    gate.open();
    gate.wait([&] { return turn.load(sync::acquire) == i + 2; }, 0);
  }
  other.join();
}

// What this kernel and this build are able to do.
bool kernel_fences() { return decision() == fencing::asymmetric; }

TEST(AsymmetricFence, IsDecidedWhenTheProgramIsLoaded) {
  EXPECT_TRUE(decision() == fencing::asymmetric || decision() == fencing::symmetric);
  const fencing before = decision();
  sync::heavy_fence();
  EXPECT_EQ(decision(), before);
}

TEST(AsymmetricFence, OneOfTheTwoSidesSeesTheOther) { EXPECT_EQ(four_accesses().run(), 0); }

TEST(AsymmetricFence, NoWakeUpIsLost) { sleep_and_wake(); }

TEST(AsymmetricFence, HoldsInTheChildOfAFork) {
  const fencing before = decision();
  EXPECT_EQ(status_of_child([&] {
              EXPECT_EQ(four_accesses().run(), 0);
              sleep_and_wake();
              return decision() == before ? 0 : 1;
            }),
            0);
}

// A program that forbids system calls to itself after it was loaded.
TEST(AsymmetricFence, BecomesTwoFencesWhenTheKernelGoesBackOnItsWord) {
  if (!kernel_fences()) GTEST_SKIP() << "nothing to be withdrawn";
  EXPECT_EQ(status_of_child([] {
              if (!forbid_membarrier()) return 101;
              EXPECT_EQ(decision(), fencing::asymmetric);
              base::fence_everywhere();
              EXPECT_EQ(decision(), fencing::symmetric);
              EXPECT_EQ(four_accesses().run(), 0);
              sleep_and_wake();
              return 0;
            }),
            0);
}

// A process of many threads: no call any more, or the kernel ends the child.
TEST(AsymmetricFence, BecomesTwoFencesForALargeProcess) {
  const bool were_light = kernel_fences();
  EXPECT_EQ(status_of_child([&] {
              base::make_all_fences_real();
              EXPECT_EQ(decision(), fencing::symmetric);
              base::make_all_fences_real();
              EXPECT_EQ(decision(), fencing::symmetric);
              if (were_light && !forbid_membarrier(SECCOMP_RET_KILL_PROCESS)) return 101;
              EXPECT_EQ(four_accesses().run(), 0);
              sleep_and_wake();
              return 0;
            }),
            0);
}

// While pairs of threads count on them: neither side misses the other, and no thread sleeps on.
TEST(AsymmetricFence, MayChangeWhileItIsUsed) {
  if (!kernel_fences()) GTEST_SKIP() << "both are real ones";
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(status_of_child([i] {
                std::thread changes([i] {
                  base::rng random(static_cast<std::uint64_t>(i) + 1);
                  for (std::uint64_t w = random.below(1'000'000); w > 0; --w)
                    sync::compiler_fence();
                  base::make_all_fences_real();
                });
                const int both_missed = four_accesses().run();
                sleep_and_wake();
                changes.join();
                EXPECT_EQ(decision(), fencing::symmetric);
                return both_missed;
              }),
              0);
  }
}

// For a while, as beside other programs, and back, whatever happens at the same time.
TEST(AsymmetricFence, IsTwoFencesForAWhile) {
  const bool were_light = kernel_fences();
  EXPECT_EQ(status_of_child([&] {
              for (int i = 0; i < 3; ++i) {
                base::make_fences_real();
                base::make_fences_real();
                EXPECT_EQ(decision(), were_light ? fencing::for_now : fencing::symmetric);
                base::make_fences_light();
                base::make_fences_light();
                EXPECT_EQ(decision(), were_light ? fencing::asymmetric : fencing::symmetric);
              }
              base::make_fences_real();
              base::make_all_fences_real();
              base::make_fences_light();
              EXPECT_EQ(decision(), fencing::symmetric);
              return 0;
            }),
            0);
}

TEST(AsymmetricFence, MayChangeBackAndForthWhileItIsUsed) {
  if (!kernel_fences()) GTEST_SKIP() << "both are real ones";
  EXPECT_EQ(status_of_child([] {
              sync::atomic<bool> over{false};
              const auto change = [&](std::uint64_t seed) {
                base::rng random(seed);
                while (!over.load()) {
                  for (std::uint64_t w = random.below(3'000); w > 0; --w) sync::compiler_fence();
                  base::make_fences_real();
                  for (std::uint64_t w = random.below(3'000); w > 0; --w) sync::compiler_fence();
                  base::make_fences_light();
                  sync::yield();
                }
              };
              std::thread one(change, 1);
              std::thread two(change, 2);
              const int both_missed = four_accesses().run(rounds / 10);
              base::make_all_fences_real();
              over.store(true);
              one.join();
              two.join();
              EXPECT_EQ(decision(), fencing::symmetric);
              return both_missed;
            }),
            0);
}

TEST(AsymmetricFence, BecomesTwoFencesWhenTheKernelRefusesToHelpWithThat) {
  if (!kernel_fences()) GTEST_SKIP() << "both are real ones";
  EXPECT_EQ(status_of_child([] {
              if (!forbid_membarrier()) return 101;
              base::make_all_fences_real();
              EXPECT_EQ(decision(), fencing::symmetric);
              return four_accesses().run();
            }),
            0);
}

// Not by itself: the body of the reruns.
TEST(AsymmetricFence, DISABLED_IsTwoFences) {
  EXPECT_EQ(decision(), fencing::symmetric);
  EXPECT_EQ(four_accesses().run(), 0);
  sleep_and_wake();
  EXPECT_EQ(decision(), fencing::symmetric);
}

constexpr const char* is_two_fences = "AsymmetricFence.DISABLED_IsTwoFences";

TEST(AsymmetricFence, IsTwoFencesIfTheEnvironmentSaysSo) {
  EXPECT_EQ(
      status_of_rerun(is_two_fences, [] { return setenv("DOALL_MEMBARRIER", "off", 1) == 0; }), 0);
}

TEST(AsymmetricFence, IsTwoFencesIfTheKernelRefuses) {
  EXPECT_EQ(status_of_rerun(is_two_fences, [] { return forbid_membarrier(); }), 0);
}

TEST(AsymmetricFence, NamesABadSettingAndGoesOn) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(status_of_rerun("AsymmetricFence.IsDecidedWhenTheProgramIsLoaded",
                            [] { return setenv("DOALL_MEMBARRIER", "maybe", 1) == 0; }),
            0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // the first loop says so, once
  ASSERT_EQ(setenv("DOALL_MEMBARRIER", "maybe", 1), 0);
  testing::internal::CaptureStderr();
  base::warn_of_bad_fence_setting();
  base::warn_of_bad_fence_setting();
  unsetenv("DOALL_MEMBARRIER");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "doall: DOALL_MEMBARRIER=\"maybe\" is ignored: expected on or off; membarrier is used "
            "where the kernel has it\n");
}

}  // namespace
}  // namespace doall
