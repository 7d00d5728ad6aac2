// Seeds: a randomised test is a loop over cases, and a case is a function of one
// number. A failure prints the command that runs that one case again.
//
//   DOALL_TEST_SEED=n    run the one case n
//   DOALL_TEST_CASES=n   run the cases 1 to n (default: the test's choice)
//   DOALL_TEST_LONG=n    of tests that have a long form (times_longer), n times as many
//
// A test may name a time after which it begins no more cases: what real threads
// take depends on what else the machine does. It says so when that happens. Who asks for a
// number of cases gets them, however long that takes.
//
// The seeds of a usual run are fixed: it fails only if the code has changed. A long one begins a
// quarter as many cases again at a seed that is taken from the clock and printed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>

#include "base/arith.hpp"
#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/rng.hpp"

namespace doall::tests {

using base::u64;

inline std::string repeat_command(u64 seed) {
  static const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return "DOALL_TEST_SEED=" + std::to_string(seed) + " " + program +
         " --file=" + std::filesystem::path(test.file()).stem().string() +
         " --gtest_filter=" + test.test_suite_name() + "." + test.name();
}

// How many times its usual cases, or seconds, a test with a long form runs.
inline u64 times_longer() {
  return base::env_number("DOALL_TEST_LONG", 1, 1'000'000, "1").value_or(1);
}

// Runs body(rng&) on the cases `first` to `first + count - 1`, up to the first
// one that fails or begins too late. Returns whether all passed.
template <class Body>
bool run_cases(u64 first, u64 count, Body& body, u64 deadline_ns) {
  for (u64 seed = first; seed != first + count; ++seed) {
    if (base::now_ns() >= deadline_ns) {
      std::cout << "time is up before case " << seed << std::endl;
      return false;
    }
    base::rng random(seed);
    body(random);
    if (testing::Test::HasFailure()) {
      std::cout << "to repeat: " << repeat_command(seed) << std::endl;
      return false;
    }
  }
  return true;
}

template <class Body>
void for_each_case(u64 usual, Body body, u64 most_ns = base::u64_max) {
  u64 deadline_ns = base::saturating_add(base::now_ns(), most_ns);
  if (const auto seed =
          base::env_number("DOALL_TEST_SEED", 0, base::u64_max, "the usual set of seeds")) {
    run_cases(*seed, 1, body, deadline_ns);
    return;
  }
  const auto asked = base::env_number("DOALL_TEST_CASES", 1, u64{1} << 32, std::to_string(usual));
  if (asked) deadline_ns = base::u64_max;
  const u64 count = asked.value_or(usual);
  if (!run_cases(1, count, body, deadline_ns) || times_longer() == 1) return;
  const u64 fresh = base::now_ns();
  const u64 fresh_count = count / 4 + 1;
  std::cout << "cases 1 to " << count << " and " << fresh << " to " << fresh + fresh_count - 1
            << std::endl;
  run_cases(fresh, fresh_count, body, deadline_ns);
}

}  // namespace doall::tests
