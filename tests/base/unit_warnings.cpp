// What is printed once.
#include <gtest/gtest.h>

#include <string>

#include "base/env.hpp"

namespace doall::base {
namespace {

std::string printed_by(void (*act)()) {
  testing::internal::CaptureStderr();
  act();
  return testing::internal::GetCapturedStderr();
}

TEST(Warnings, ArePrintedOnce) {
  const std::string printed = printed_by([] {
    for (int i = 0; i < 3; ++i) warn_once("what is wrong");
    warn_once("what else is wrong");
  });
  EXPECT_EQ(printed, "doall: what is wrong\ndoall: what else is wrong\n");
}

// As of a loop that has another length in each call.
TEST(Warnings, ThatDifferInNumbersAloneEnd) {
  const std::string printed = printed_by([] {
    for (int i = 1; i <= 1'000; ++i) warn_once("a loop of " + std::to_string(i) + " iterations");
    warn_once("a nest of 1 iterations");
  });
  std::string expected;
  for (int i = 1; i <= 8; ++i) {
    expected += "doall: a loop of " + std::to_string(i) + " iterations";
    expected += i == 8 ? " (more that differ in numbers alone are not printed)\n" : "\n";
  }
  EXPECT_EQ(printed, expected + "doall: a nest of 1 iterations\n");
}

}  // namespace
}  // namespace doall::base
