// What the schedules that deal from one queue have in common: chunks in order, of sizes that
// follow from N, P and how many were dealt before.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "support/hand_driver.hpp"

namespace doall::tests {

// The sizes that a loop gives whose body, as papers write it, takes next_size(left, chunks so far)
// of what is left.
template <class NextSize>
std::vector<u64> sizes_one_by_one(u64 iterations, NextSize next_size) {
  std::vector<u64> sizes;
  for (u64 left = iterations; left > 0; left -= sizes.back()) {
    sizes.push_back(std::min(next_size(left, sizes.size()), left));
  }
  return sizes;
}

// The schedule's sizes are `sizes_of(iterations, workers)`, on short loops and long ones, teams of
// one and teams that are larger than the loop.
template <class SizesOf>
void expect_sizes(std::string_view schedule, SizesOf sizes_of) {
  const auto agrees = [&](u64 iterations, std::uint32_t workers) {
    ASSERT_EQ(sizes_alone(schedule, iterations, workers), sizes_of(iterations, workers))
        << iterations << " over " << workers;
  };
  for (std::uint32_t workers : {1, 2, 3, 4, 7, 8, 16, 61, 1024}) {
    for (u64 iterations = 0; iterations < 300; ++iterations) agrees(iterations, workers);
    for (u64 iterations : {1000, 4095, 4096, 65537, 1000003}) agrees(iterations, workers);
    if (testing::Test::HasFailure()) return;
  }
}

// Each chunk begins where the one before it ends, whoever asks.
inline void expect_dealt_in_order(std::string_view schedule) {
  hand_driver driver(3);
  driver.begin(spec_of(schedule), {100, 3});
  u64 past = 0;
  for (std::uint32_t w : {2, 0, 2, 1}) {
    const chunk c = driver.ask(w);
    EXPECT_EQ(c.begin, past);
    EXPECT_EQ(c.from, schedules::origin::central);
    EXPECT_FALSE(c.empty());
    past = c.end;
  }
}

}  // namespace doall::tests
