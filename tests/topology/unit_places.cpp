// OMP_PLACES and GOMP_CPU_AFFINITY: what the texts name, on described machines; and that no text
// does harm.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/rng.hpp"
#include "support/seeds.hpp"
#include "topology/hwloc_tree.hpp"
#include "topology/places.hpp"

namespace doall::topology {
namespace {

using places = std::vector<place>;

std::vector<int> first_cpus(int count) {
  std::vector<int> cpus(static_cast<std::size_t>(count));
  std::iota(cpus.begin(), cpus.end(), 0);
  return cpus;
}

// A machine of 2 packages, each a NUMA domain with an L3 cache and two cores of two threads.
places read(std::string_view text, int allowed = 16) {
  static const hwloc_tree tree("package:2 numa:1 l3:1 core:2 pu:2");
  const std::vector<int> cpus = first_cpus(allowed);
  const places_result result = read_places(text, tree, cpus);
  EXPECT_EQ(result.places.empty(), !result.error.empty()) << text << ": " << result.error;
  return result.places;
}

TEST(Places, AreListedExplicitly) {
  EXPECT_EQ(read("{0},{1}"), (places{{0}, {1}}));
  EXPECT_EQ(read(" { 1 , 0 } , 3 "), (places{{0, 1}, {3}}));
  EXPECT_EQ(read("{0:3}"), (places{{0, 1, 2}}));
  EXPECT_EQ(read("{0}:4"), (places{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(read("{0:2}:3:2"), (places{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(read("{7,6}:2:-3"), (places{{6, 7}, {3, 4}}));
  EXPECT_EQ(read("{0:4:2}"), (places{{0, 2, 4, 6}}));
}

TEST(Places, AreExcluded) {
  EXPECT_EQ(read("{6,7}:4:-2,!{2,3}"), (places{{6, 7}, {4, 5}, {0, 1}}));
  EXPECT_EQ(read("{0,1},{3,2,4},{6,5,!6},{6},{7:2:-1,!6}"),
            (places{{0, 1}, {2, 3, 4}, {5}, {6}, {7}}));
  // An exclusion takes out one place, the last one.
  EXPECT_EQ(read("1,2,{2,3,!2},3,3,!3,!{5:3:-1,!4,!5},{4},5,!4,!5,1:2,!{1},!2,7:3:-2,!{5},!7,!3"),
            (places{{1}, {2}, {3}}));
}

TEST(Places, AreNamedByAWord) {
  EXPECT_EQ(read("threads").size(), 8U);
  EXPECT_EQ(read("cores"), (places{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(read("Cores(3)"), (places{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(read("sockets"), (places{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(read("numa_domains ( 1 )"), (places{{0, 1, 2, 3}}));
  EXPECT_EQ(read("ll_caches"), (places{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST(Places, OfTwoMemoriesNearTheSameCpusAreOne) {
  const hwloc_tree tree("package:2 [numa] [numa] core:2 pu:1");
  EXPECT_EQ(read_places("numa_domains", tree, first_cpus(4)).places, (places{{0, 1}, {2, 3}}));
}

TEST(Places, AreOfAllowedCpus) {
  EXPECT_EQ(read("{0}:8", 2), (places{{0}, {1}}));
  EXPECT_EQ(read("cores", 3), (places{{0, 1}, {2}}));
  EXPECT_TRUE(read("{8},{9}", 2).empty());
}

TEST(Places, OfNoAllowedCpuAreNamed) {
  const hwloc_tree tree("package:2 numa:1 l3:1 core:2 pu:2");
  const auto cpus = first_cpus(2);
  EXPECT_EQ(to_text(read_places("{0},{4,5},{1,9},{8}", tree, cpus).dropped), "{4,5},{8}");
  EXPECT_EQ(to_text(read_cpu_list("0 7 1", cpus).dropped), "{7}");
  EXPECT_EQ(to_text(read_places("{0}:20", tree, cpus).dropped),
            "{2},{3},{4},{5},{6},{7},{8},{9},...");
  EXPECT_TRUE(read_places("cores", tree, cpus).dropped.empty());  // those that there are
}

TEST(Places, WithoutATopologyAreCpus) {
  const hwloc_tree none("no such description");
  const auto cpus = first_cpus(3);
  EXPECT_EQ(read_places("cores", none, cpus).places, (places{{0}, {1}, {2}}));
  EXPECT_EQ(read_places("threads", none, cpus).places, (places{{0}, {1}, {2}}));
  EXPECT_EQ(read_places("sockets", none, cpus).places, (places{{0, 1, 2}}));
}

TEST(Places, ThatAreWrongAreRefused) {
  for (const char* text : {"",          "{",         "{}",
                           "{0",        "0}",        "{0},",
                           ",{0}",      "{-1}",      "{0:0}",
                           "{0:-1}",    "{0}:0",     "{0:99999}",
                           "{0}:2:-1",  "{99999}",   "core",
                           "cores(",    "cores(0)",  "cores(2",
                           "cores(2)x", "cores,{0}", "{0}{1}",
                           "!{0}",      "{!0}",      "{0}:",
                           "{0::2}",    "{0}:1:x",   "99999999999999999999"}) {
    EXPECT_TRUE(read(text).empty()) << text;
  }
}

TEST(Places, OfGccAreOneCpuEach) {
  const auto cpus = first_cpus(16);
  EXPECT_EQ(read_cpu_list("0 3 1-2 4-15:2", cpus).places,
            (places{{0}, {3}, {1}, {2}, {4}, {6}, {8}, {10}, {12}, {14}}));
  EXPECT_EQ(read_cpu_list("1,0", cpus).places, (places{{1}, {0}}));
  for (const char* text :
       {"", "x", "3-1", "0-5:0", "0-", "-1", "0 99999", "0:1:2", "1-1:9223372036854775807"}) {
    EXPECT_NE(read_cpu_list(text, cpus).error, "") << text;
  }
}

TEST(Places, AreGivenToThreadsByTheStandardsRule) {
  const auto of_team = [](std::uint32_t threads, std::size_t count, bool spread) {
    std::vector<std::size_t> given;
    for (std::uint32_t i = 0; i < threads; ++i)
      given.push_back(place_of(i, threads, count, spread));
    return given;
  };
  using list = std::vector<std::size_t>;
  EXPECT_EQ(of_team(3, 8, false), (list{0, 1, 2}));
  EXPECT_EQ(of_team(5, 8, true), (list{0, 2, 4, 6, 7}));
  EXPECT_EQ(of_team(4, 8, true), (list{0, 2, 4, 6}));
  EXPECT_EQ(of_team(5, 2, false), (list{0, 0, 0, 1, 1}));
  EXPECT_EQ(of_team(5, 2, true), (list{0, 0, 0, 1, 1}));
}

// Random texts of the characters that lists are made of, and mutations of good ones.
TEST(Places, OfAnyTextAreBoundedAndAllowed) {
  constexpr std::string_view letters = "{}{},:!-0123456789()x ";
  const std::vector<std::string> good = {"{6,7}:4:-2,!{2,3}", "cores(2)", "{0:4:2}:2",
                                         "0 3 1-2 4-15:2"};
  const auto cpus = first_cpus(16);
  static const hwloc_tree tree("package:2 numa:1 l3:1 core:2 pu:2");
  tests::for_each_case(4000 * tests::times_longer(), [&](base::rng& random) {
    std::string text = random.below(2) == 0 ? "" : good[random.below(good.size())];
    const auto changes = 1 + random.below(12);
    for (std::uint64_t i = 0; i < changes; ++i) {
      const char letter = letters[random.below(letters.size())];
      text.insert(text.begin() + static_cast<std::ptrdiff_t>(random.below(text.size() + 1)),
                  letter);
    }
    for (const places_result& result : {read_places(text, tree, cpus), read_cpu_list(text, cpus)}) {
      EXPECT_EQ(result.places.empty(), !result.error.empty()) << text;
      EXPECT_LE(result.places.size(), 2 * 8192U) << text;
      for (const place& p : result.places) {
        EXPECT_FALSE(p.empty()) << text;
        for (const int cpu : p) EXPECT_TRUE(cpu >= 0 && cpu < 16) << text;
      }
    }
  });
}

}  // namespace
}  // namespace doall::topology
