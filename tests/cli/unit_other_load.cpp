// What the CPUs of a mask did, by the text of /proc/stat.
#include <gtest/gtest.h>

#include "process/other_load.hpp"

namespace doall::cli {
namespace {

// user, nice, system, idle, iowait, irq, softirq, steal, and two that are in user's already.
constexpr const char* of_three =
    "cpu  600 0 0 400 0 0 0 0 0 0\n"
    "cpu0 100 10 20 60 40 5 5 10 7 7\n"
    "cpu2 0 0 0 100 0 0 0 0 0 0\n"
    "cpu10 300 0 0 100 0 0 0 0 0 0\n"
    "intr 1 2 3\n";

double busy_part(const char* text, const std::vector<int>& cpus) {
  const auto found = cpu_seconds_of(text, cpus);
  return found ? found->busy / found->all : -1;
}

TEST(OtherLoad, IsOfTheMasksCpus) {
  EXPECT_DOUBLE_EQ(busy_part(of_three, {0}), 150.0 / 250);
  EXPECT_DOUBLE_EQ(busy_part(of_three, {2}), 0);
  EXPECT_DOUBLE_EQ(busy_part(of_three, {0, 10}), 450.0 / 650);
}

TEST(OtherLoad, IsOfAllCpusWhereTheMasksAreNotTold) {
  EXPECT_DOUBLE_EQ(busy_part(of_three, {0, 1}), 0.6);  // 1 is offline, or hidden by a container
  EXPECT_DOUBLE_EQ(busy_part(of_three, {}), 0.6);
  EXPECT_DOUBLE_EQ(busy_part("cpu 1 0 0 1 0 0 0 0\n", {0}), 0.5);
}

TEST(OtherLoad, IsNotKnownWhereNothingIsTold) {
  EXPECT_FALSE(cpu_seconds_of("", {0}));
  EXPECT_FALSE(cpu_seconds_of("cpu 1 2 3\n", {0}));
}

}  // namespace
}  // namespace doall::cli
