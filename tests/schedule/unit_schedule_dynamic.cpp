// dynamic: chunks of c from a common counter, in the order of asking.

#include <gtest/gtest.h>

#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

TEST(Dynamic, DealsOneByOneByDefault) {
  EXPECT_EQ(sizes_alone("dynamic", 5, 2), (std::vector<u64>{1, 1, 1, 1, 1}));
}

TEST(Dynamic, DealsChunksAndCutsTheLast) {
  EXPECT_EQ(sizes_alone("dynamic,4", 10, 2), (std::vector<u64>{4, 4, 2}));
  EXPECT_EQ(sizes_alone("dynamic,5", 10, 2), (std::vector<u64>{5, 5}));
  EXPECT_EQ(sizes_alone("dynamic,11", 10, 2), (std::vector<u64>{10}));
}

TEST(Dynamic, DealsToWhoeverAsksNext) {
  hand_driver driver(3);
  driver.begin(spec_of("dynamic,2"), {7, 3});
  u64 past = 0;
  for (std::uint32_t w : {2, 0, 2, 2}) {
    const chunk c = driver.ask(w);
    EXPECT_EQ(c.begin, past);
    EXPECT_EQ(c.from, schedules::origin::central);
    past = c.end;
  }
  EXPECT_EQ(past, 7U);
  for (std::uint32_t w : {0, 1, 2}) EXPECT_TRUE(driver.ask(w).empty());
}

TEST(Dynamic, DoesNotWrapWhereTheCounterWould) {
  const u64 half = u64{1} << 63;
  EXPECT_EQ(sizes_alone("dynamic,9223372036854775808", base::u64_max, 2),
            (std::vector<u64>{half, half - 1}));
  EXPECT_EQ(sizes_alone("dynamic,18446744073709551615", base::u64_max, 2),
            (std::vector<u64>{base::u64_max}));
  // Of three chunks the last would end at 2^64 + 2^62: it is cut, and no fourth begins.
  EXPECT_EQ(sizes_alone("dynamic,6917529027641081856", base::u64_max, 2),
            (std::vector<u64>{6917529027641081856U, 6917529027641081856U, 4611686018427387903U}));
}

}  // namespace
}  // namespace doall::tests
