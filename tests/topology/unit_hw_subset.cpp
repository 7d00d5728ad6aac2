// KMP_HW_SUBSET: what the texts choose, on described machines and on this one; and that no text
// does harm.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "support/seeds.hpp"
#include "topology/hw_subset.hpp"
#include "topology/hwloc_tree.hpp"
#include "topology/topology.hpp"

namespace doall::topology {
namespace {

place range(int first, int end) {
  place cpus(static_cast<std::size_t>(end - first));
  std::iota(cpus.begin(), cpus.end(), first);
  return cpus;
}

// Two sockets of two NUMA domains, each with a last level cache, four cores and eight threads:
// socket s has CPUs 16 s to 16 s + 15, core c of the machine CPUs 2 c and 2 c + 1.
const hwloc_tree& servers() {
  static const hwloc_tree tree("package:2 numa:2 l3:1 core:4 pu:2");
  return tree;
}

place chosen(std::string_view text, const hwloc_tree& tree = servers(),
             place allowed = range(0, 32)) {
  const hw_subset found = read_hw_subset(text, tree, allowed);
  EXPECT_TRUE(found.error.empty()) << text << ": " << found.error;
  EXPECT_TRUE(found.note.empty()) << text << ": " << found.note;
  return found.cpus;
}

std::string refusal(std::string_view text, const hwloc_tree& tree = servers(),
                    place allowed = range(0, 32)) {
  const hw_subset found = read_hw_subset(text, tree, allowed);
  EXPECT_TRUE(found.cpus.empty()) << text;
  return found.error;
}

TEST(HwSubset, KeepsSoManyOfEachLayer) {
  EXPECT_EQ(chosen("2s,8c,2t"), range(0, 32));
  EXPECT_EQ(chosen("1s"), range(0, 16));
  EXPECT_EQ(chosen("1s,1n"), range(0, 8));
  EXPECT_EQ(chosen("1S , 2C , 1T"), (place{0, 2}));
  EXPECT_EQ(chosen("1t"), (place{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}));
  EXPECT_EQ(chosen("1n,1c"), (place{0, 1, 16, 17}));
  EXPECT_EQ(chosen("2ll,1c,1t"), (place{0, 8, 16, 24}));
}

TEST(HwSubset, CountsCoresInSocketsUnlessItNamesTheLayersBetween) {
  EXPECT_EQ(chosen("6c,1t"), (place{0, 2, 4, 6, 8, 10, 16, 18, 20, 22, 24, 26}));
  EXPECT_EQ(chosen("2n,3c,1t"), (place{0, 2, 4, 8, 10, 12, 16, 18, 20, 24, 26, 28}));
}

TEST(HwSubset, SkipsUnits) {
  EXPECT_EQ(chosen("1s@1,2c@3,1t@1"), (place{23, 25}));
  EXPECT_EQ(chosen("*s@1"), range(16, 32));
  EXPECT_EQ(chosen("s@1,c@6,t"), range(28, 32));
}

TEST(HwSubset, TakesOrderAndWordsAsTheyCome) {
  EXPECT_EQ(chosen("1t,1c,1s"), (place{0}));
  EXPECT_EQ(chosen("1socket,2cores,*threads"), range(0, 4));
  EXPECT_EQ(chosen("1numa_domain"), chosen("1n"));
  EXPECT_EQ(chosen("1LL_Caches"), chosen("1l"));
  EXPECT_EQ(chosen("1l3"), chosen("1ll"));
}

TEST(HwSubset, BehindAColonHasOnlyTheNamedLayers) {
  EXPECT_EQ(chosen(":1t"), (place{0}));
  EXPECT_EQ(chosen(":3c@7"), range(14, 20));
  EXPECT_EQ(chosen(":1n@3"), range(24, 32));
  EXPECT_EQ(chosen(":1s,3t@2"), range(2, 5));
}

TEST(HwSubset, IsOfAllowedCpus) {
  EXPECT_EQ(chosen("1c", servers(), range(3, 32)), (place{3, 16, 17}));
  EXPECT_EQ(chosen("1s", servers(), range(20, 32)), range(20, 32));
  EXPECT_NE(refusal("2s", servers(), range(20, 32)), "");
}

TEST(HwSubset, WorksWhereCoresOrSocketsAreUnknown) {
  const hwloc_tree flat("pu:4");
  EXPECT_EQ(chosen("1s,3c", flat, range(0, 4)), range(0, 3));
}

TEST(HwSubset, ThatTheMachineHasNotIsRefused) {
  EXPECT_EQ(refusal("3s"), "expected at most 2 of socket, with the offset");
  EXPECT_EQ(refusal("1s@2"), "expected at most 2 of socket, with the offset");
  EXPECT_EQ(refusal("9c"), "expected at most 8 of core in a socket, with the offset");
  EXPECT_EQ(refusal("2n,4c@1"), "expected at most 4 of core in a numa_domain, with the offset");
  EXPECT_EQ(refusal("*s@2"), "expected at most 2 of socket, with the offset");
  EXPECT_EQ(refusal("1d"), "expected layers that the machine has, not die");
  EXPECT_EQ(refusal("1l2"), "expected layers that the machine has, not l2_cache");
  EXPECT_EQ(refusal("4c:eff0,2c:eff1"),
            "expected no attributes of cores, for all cores of this machine are alike");
}

TEST(HwSubset, AttributeThatMeansNothingHasNoEffect) {
  const hw_subset found = read_hw_subset("1c:intel_core", servers(), range(0, 32));
  EXPECT_EQ(found.cpus, (place{0, 1, 16, 17}));
  EXPECT_NE(found.note.find("intel_core"), std::string::npos);
}

// Two fast cores of two threads, then four slow ones.
const hwloc_tree& hybrid() {
  static const hwloc_tree tree("package:1 core:6 pu:2",
                               {{range(0, 4), 1, "IntelCore"}, {range(4, 12), 0, "IntelAtom"}});
  return tree;
}

TEST(HwSubset, TellsKindsOfCoresApart) {
  EXPECT_EQ(hybrid().core_kinds().size(), 2U);
  EXPECT_EQ(chosen("c:intel_core", hybrid(), range(0, 12)), range(0, 4));
  EXPECT_EQ(chosen("3c:intel_atom,1t", hybrid(), range(0, 12)), (place{4, 6, 8}));
  EXPECT_EQ(chosen("1c:intel_core@1,2c:intel_atom", hybrid(), range(0, 12)),
            (place{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(chosen("1c@1:eff1&2c:eff0", hybrid(), range(0, 12)), (place{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(chosen("3c", hybrid(), range(0, 12)), range(0, 6));
  EXPECT_EQ(refusal("3c:eff1", hybrid(), range(0, 12)),
            "expected at most 2 of core:eff1 in a socket, with the offset");
  EXPECT_EQ(refusal("1c:eff2", hybrid(), range(0, 12)),
            "expected attributes of cores that the machine has, not eff2");
  EXPECT_EQ(refusal("1c:intel_core,2c:eff1", hybrid(), range(0, 12)),
            "expected attributes of one sort, types or efficiencies of cores");
  EXPECT_NE(refusal("4c,1c:eff1", hybrid(), range(0, 12)), "");
  EXPECT_NE(refusal("1c:eff1,2c:eff1", hybrid(), range(0, 12)), "");
}

TEST(HwSubset, ThatIsWrongIsRefused) {
  for (const char* text : {"",
                           ":",
                           "1",
                           "1x",
                           "s1",
                           "0s",
                           "-1s",
                           "1s,",
                           ",1s",
                           "1s;1c",
                           "1s 1c",
                           "1s@",
                           "1s@-1",
                           "1s@x",
                           "1s@1@0",
                           "1s:intel_core",
                           "1c:",
                           "1c:fast",
                           "1c:eff",
                           "1c:effx",
                           "**s",
                           "1s,1s",
                           "1c,2c",
                           "99999999999999999999s",
                           "1s@99999999999999999999",
                           "::1t",
                           "1c:intel_core:eff0"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

TEST(HwSubset, OfAnyTextIsAllowed) {
  constexpr std::string_view letters = "0123456789snldcteff_:@*,& xk";
  const std::vector<std::string> good = {"1s,2c@1,1t", ":3c", "*c:eff1&2c:eff0", "s@1"};
  tests::for_each_case(4000 * tests::times_longer(), [&](base::rng& random) {
    std::string text = random.below(2) == 0 ? "" : good[random.below(good.size())];
    const auto changes = 1 + random.below(10);
    for (std::uint64_t i = 0; i < changes; ++i) {
      const char letter = letters[random.below(letters.size())];
      text.insert(text.begin() + static_cast<std::ptrdiff_t>(random.below(text.size() + 1)),
                  letter);
    }
    const hw_subset found = read_hw_subset(text, servers(), range(0, 20));
    EXPECT_EQ(found.cpus.empty(), !found.error.empty()) << text;
    for (const int cpu : found.cpus) EXPECT_TRUE(cpu >= 0 && cpu < 20) << text;
  });
}

TEST(HwSubset, OfThisMachineIsWhatItsCpusAre) {
  const hwloc_tree& here = hwloc_tree::of_this_machine();
  const std::vector<int> all = allowed_cpus();
  EXPECT_EQ(read_hw_subset("*s,*c,*t", here, all).cpus, all);
  EXPECT_EQ(read_hw_subset(":1t", here, all).cpus.size(), 1U);
  EXPECT_EQ(usable_cpus(), all);  // no test sets the variable
}

}  // namespace
}  // namespace doall::topology
