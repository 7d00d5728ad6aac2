// src/observe/call_history: no call is lost when groups are merged, and the slowest one is kept.
#include "observe/call_history.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

namespace doall::observe {
namespace {

std::string whole(double ticks) { return std::to_string(static_cast<std::uint64_t>(ticks)); }

TEST(call_history, few_calls_are_kept_one_by_one) {
  call_history calls;
  EXPECT_EQ(calls.groups_text(whole), "");
  EXPECT_EQ(calls.slowest_text(whole), "");
  EXPECT_TRUE(calls.add(5));
  EXPECT_FALSE(calls.add(3));
  EXPECT_TRUE(calls.add(7));
  EXPECT_EQ(calls.groups_text(whole), "1:5:5 1:3:3 1:7:7");
  EXPECT_EQ(calls.slowest_text(whole), "2:7");
}

TEST(call_history, the_slowest_call_is_one_that_is_counted_in_detail) {
  call_history calls;
  EXPECT_FALSE(calls.add(50, false));
  EXPECT_EQ(calls.slowest_text(whole), "");
  EXPECT_TRUE(calls.add(5));
  EXPECT_FALSE(calls.add(60, false));
  EXPECT_EQ(calls.groups_text(whole), "1:50:50 1:5:5 1:60:60");
  EXPECT_EQ(calls.slowest_text(whole), "1:5");
}

TEST(call_history, groups_hold_every_call_of_many) {
  constexpr std::uint64_t calls_made = 100'003;
  call_history calls;
  for (std::uint64_t n = 0; n < calls_made; ++n) calls.add(n);
  std::istringstream in(calls.groups_text(whole));
  std::uint64_t first = 0;
  std::size_t groups = 0;
  for (std::string group; in >> group; ++groups) {
    std::uint64_t count = 0;
    std::uint64_t mean = 0;
    std::uint64_t most = 0;
    char colon = 0;
    std::istringstream(group) >> count >> colon >> mean >> colon >> most;
    EXPECT_EQ(mean, first + (count - 1) / 2);
    EXPECT_EQ(most, first + count - 1);
    first += count;
  }
  EXPECT_EQ(first, calls_made);
  EXPECT_GT(groups, call_history::groups / 2);
  EXPECT_LE(groups, call_history::groups);
}

TEST(call_history, the_slowest_call_has_its_workers) {
  call_history calls;
  ASSERT_TRUE(calls.add(10));
  slot_times* slots = calls.slots_for(2);
  ASSERT_NE(slots, nullptr);
  slots[0] = {1, 10, 8};
  slots[1] = {2, 9, 7};
  EXPECT_EQ(calls.slowest_text(whole), "0:10 1:10:8 2:9:7");
  ASSERT_TRUE(calls.add(20));
  EXPECT_EQ(calls.slowest_text(whole), "1:20");
  ASSERT_NE(calls.slots_for(1'000), nullptr);
  std::istringstream in(calls.slowest_text(whole));
  std::size_t words = 0;
  for (std::string word; in >> word;) ++words;
  EXPECT_EQ(words, 1 + call_history::slots_most);
}

}  // namespace
}  // namespace doall::observe
