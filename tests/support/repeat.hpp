// Tests about time. Whatever else the machine does meanwhile can only spoil an attempt: a thread
// that is preempted is late, and its loop looks long. So an attempt that fails is made again, each
// time after a longer pause, and a test fails if all of them have failed. It is never skipped.
//
// What an attempt has taught the runtime stays: a test of a first time takes a new site in each.
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <thread>

namespace doall::tests {

inline constexpr int attempts_most = 20;

// attempt(): one attempt, with the usual EXPECT_ and ASSERT_, on any threads. Those of the last
// attempt count.
template <class Attempt>
void repeat_while_disturbed(Attempt attempt) {
  for (int n = 1; n < attempts_most; ++n) {
    testing::TestPartResultArray findings;
    {
      using reporter = testing::ScopedFakeTestPartResultReporter;
      const reporter intercepted(reporter::INTERCEPT_ALL_THREADS, &findings);
      attempt();
    }
    int failed = 0;
    for (int i = 0; i < findings.size(); ++i) {
      if (!findings.GetTestPartResult(i).failed()) continue;
      if (failed++ == 0) {
        std::cout << "attempt " << n << ": " << findings.GetTestPartResult(i) << std::endl;
      }
    }
    if (failed == 0) return;
    std::this_thread::sleep_for(n * std::chrono::milliseconds(20));
  }
  attempt();
}

}  // namespace doall::tests
