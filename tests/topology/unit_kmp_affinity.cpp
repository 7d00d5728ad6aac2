// KMP_AFFINITY in OpenMP's terms: the forms that programs' guides name; and that no text does harm.
#include <gtest/gtest.h>

#include <string>

#include "base/rng.hpp"
#include "support/seeds.hpp"
#include "topology/kmp_affinity.hpp"

namespace doall::topology {
namespace {

std::string said(std::string_view text) {
  const kmp_affinity k = read_kmp_affinity(text);
  if (!k.error.empty()) return "bad";
  if (!k.binds) return "free";
  return (k.spread ? "spread " : "close ") + k.places;
}

TEST(KmpAffinity, BindsOneAfterTheOther) {
  EXPECT_EQ(said("granularity=fine,compact"), "close threads");
  EXPECT_EQ(said("granularity=fine,compact,0,0"), "close threads");
  EXPECT_EQ(said("compact"), "close cores");
  EXPECT_EQ(said(" verbose, granularity=core , compact "), "close cores");
  EXPECT_EQ(said("granularity=socket,compact"), "close sockets");
}

TEST(KmpAffinity, TakesOneCoreAfterTheOther) {
  EXPECT_EQ(said("granularity=fine,compact,1,0"), "close ");
  EXPECT_EQ(said("GRANULARITY=FINE,NOVERBOSE,COMPACT,1"), "close ");
  EXPECT_EQ(said("granularity=core,compact,1,0"), "close cores");
}

TEST(KmpAffinity, Spreads) {
  EXPECT_EQ(said("scatter"), "spread cores");
  EXPECT_EQ(said("granularity=fine,scatter"), "spread cores");
  EXPECT_EQ(said("balanced,granularity=core"), "spread cores");
}

TEST(KmpAffinity, TakesAList) {
  EXPECT_EQ(said("explicit,proclist=[3,0,{4,5},1-2]"), "close {3},{0},{4,5},{1},{2}");
  EXPECT_EQ(said("granularity=fine,proclist=[0-6:2],explicit"), "close {0},{2},{4},{6}");
  EXPECT_EQ(said("proclist=[{0-2}],explicit"), "close {0,1,2}");
}

TEST(KmpAffinity, Resets) {
  EXPECT_TRUE(read_kmp_affinity("reset,granularity=thread,compact").resets);
  EXPECT_TRUE(read_kmp_affinity("RESET,explicit,proclist=[0]").resets);
  EXPECT_FALSE(read_kmp_affinity("noreset,compact").resets);
  EXPECT_FALSE(read_kmp_affinity("reset,none").resets);
}

TEST(KmpAffinity, MayBindNothing) {
  EXPECT_EQ(said("none"), "free");
  EXPECT_EQ(said("verbose,disabled"), "free");
  EXPECT_EQ(said("verbose"), "free");
  EXPECT_EQ(said("granularity=core,nowarnings"), "free");
}

TEST(KmpAffinity, SaysWhatItExpects) {
  for (const char* text : {"", "compacted", "granularity=none,compact", "compact,2", "compact,1,3",
                           "scatter,1", "compact,1,0,0", "explicit", "explicit,proclist=[]",
                           "explicit,proclist=[3-1]", "explicit,proclist=[{}]", "proclist=[0",
                           "explicit,proclist=[{0]", "compact,x", "=", ",", "compact=1"}) {
    EXPECT_EQ(said(text), "bad") << text;
  }
}

TEST(KmpAffinity, DoesNoHarm) {
  tests::for_each_case(2000 * tests::times_longer(), [&](base::rng& random) {
    constexpr std::string_view parts[] = {"compact",
                                          ",",
                                          "granularity=",
                                          "fine",
                                          "explicit",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          "0-",
                                          "7",
                                          ":",
                                          "3-9",
                                          "proclist=[",
                                          "-1",
                                          "99999999999999999999"};
    std::string text;
    for (std::uint64_t n = random.below(12); n > 0; --n) {
      text += parts[random.below(std::size(parts))];
    }
    const kmp_affinity k = read_kmp_affinity(text);
    EXPECT_TRUE(k.error.empty() || !k.binds) << text;
  });
}

}  // namespace
}  // namespace doall::topology
