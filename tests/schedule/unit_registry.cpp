// The one list is fit to be enumerated: names are unique and well formed, and
// every schedule keeps to the storage it is promised.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "schedule/registry.hpp"
#include "support/hand_driver.hpp"

namespace doall::schedules {
namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '+';
  });
}

TEST(Registry, NamesAndAliasesAreUniqueWords) {
  std::set<std::string_view> seen;
  for (const entry& e : registry()) {
    EXPECT_TRUE(is_word(e.name)) << e.name;
    EXPECT_TRUE(seen.insert(e.name).second) << e.name;
    for (std::string_view alias : e.aliases) {
      EXPECT_TRUE(is_word(alias)) << alias;
      EXPECT_TRUE(seen.insert(alias).second) << alias;
    }
  }
}

TEST(Registry, FindsByNameAndAliasInAnyCase) {
  for (const entry& e : registry()) {
    EXPECT_EQ(find(e.name), &e);
    EXPECT_EQ(find(upper(e.name)), &e);
    for (std::string_view alias : e.aliases) EXPECT_EQ(find(upper(alias)), &e);
  }
}

TEST(Registry, FindsNothingElse) {
  EXPECT_EQ(find(""), nullptr);
  for (const entry& e : registry()) {
    EXPECT_EQ(find(std::string(e.name) + "x"), nullptr);
    const entry* shorter = find(e.name.substr(0, e.name.size() - 1));
    EXPECT_TRUE(shorter == nullptr || shorter->name.size() < e.name.size()) << e.name;
  }
}

// The OpenMP door numbers schedules by their place here; a program may have been
// compiled with such a number.
TEST(Registry, EntriesAreOnlyAppended) {
  constexpr std::string_view first[] = {
      "static",        "dynamic",         "guided",      "trapezoid",     "affinity",
      "cyclic",        "adaptive-guided", "factoring",   "mod-factoring", "tapering",
      "affinity-last", "best-static",     "static-steal"};
  ASSERT_GE(registry().size(), std::size(first));
  for (std::size_t i = 0; i < std::size(first); ++i) EXPECT_EQ(registry()[i].name, first[i]);
}

TEST(Registry, LoopsThatMustBeMonotonicGetAScheduleThatIs) {
  EXPECT_TRUE(for_monotonic_loops().has(monotonic));
}

// `dynamic` in any order: another schedule with the same parameters, but for `monotonic`.
TEST(Registry, LoopsThatNeedNotBeMonotonicKeepTheirChunk) {
  const entry& in_any_order = for_nonmonotonic_loops();
  EXPECT_FALSE(in_any_order.has(monotonic));
  const entry& dynamic = for_runtime_loops();
  EXPECT_TRUE(std::ranges::equal(in_any_order.parameters,
                                 dynamic.parameters.first(in_any_order.parameters.size()), {},
                                 &parameter::key, &parameter::key));
  const auto gains = [&](const char* text, u64 iterations, std::uint32_t workers) {
    const spec how = parse(text).value;
    return gains_from_any_order(*how.which, how.given, {iterations, workers});
  };
  EXPECT_TRUE(gains("dynamic", 64, 2));
  EXPECT_TRUE(gains("dynamic,10", 631, 2));
  EXPECT_FALSE(gains("dynamic,10", 630, 2));
  EXPECT_FALSE(gains("dynamic", 63, 2));
  EXPECT_FALSE(gains("dynamic", 1000, 1));
  EXPECT_FALSE(gains("dynamic", u64{1} << 40, 2));
  EXPECT_FALSE(gains("dynamic,monotonic", 1000, 2));
  EXPECT_FALSE(gains("guided", 1000, 2));
}

TEST(Registry, EntriesAreDescribed) {
  for (const entry& e : registry()) {
    EXPECT_FALSE(e.paper.empty()) << e.name;
    EXPECT_FALSE(e.summary.empty()) << e.name;
    EXPECT_EQ(e.summary.find('\n'), std::string_view::npos) << e.name;
  }
}

void expect_well_formed(const parameter& p) {
  EXPECT_TRUE(is_word(p.key));
  EXPECT_FALSE(p.meaning.empty()) << p.key;
  EXPECT_FALSE(p.positional && !p.words.empty()) << p.key << ": a bare word reads like a name";
  EXPECT_TRUE(p.default_word.empty() || std::ranges::count(p.words, p.default_word) == 1) << p.key;
  EXPECT_GE(p.least, 1U) << p.key << ": 0 stands for what is not given";
  EXPECT_LE(p.least, p.most) << p.key;
  EXPECT_TRUE(p.words.empty() || !p.is_bounded()) << p.key << ": words have no range";
  std::set<std::string_view> words;
  for (std::string_view word : p.words) {
    EXPECT_TRUE(is_word(word)) << p.key << "=" << word;
    EXPECT_TRUE(words.insert(word).second) << p.key << " has two words " << word;
  }
}

// The grammar takes bare numbers only right after the name.
TEST(Registry, ParametersAreWellFormed) {
  for (const entry& e : registry()) {
    SCOPED_TRACE(e.name);
    EXPECT_TRUE(std::ranges::is_partitioned(e.parameters, &parameter::positional))
        << "positional parameters come first";
    std::set<std::string_view> keys;
    for (const parameter& p : common_parameters()) keys.insert(p.key);
    for (const parameter& p : e.parameters) {
      expect_well_formed(p);
      EXPECT_TRUE(keys.insert(p.key).second) << "two parameters " << p.key;
    }
  }
  for (const parameter& p : common_parameters()) {
    expect_well_formed(p);
    EXPECT_FALSE(p.positional) << p.key << ": a bare number is the schedule's own";
  }
}

// What wants memory says how much, and the other way round.
TEST(Registry, WhatRemembersHasMemory) {
  for (const entry& e : registry()) {
    EXPECT_EQ(e.has(remembers), e.memory_bytes != nullptr) << e.name;
  }
}

// What splits has a rule for the engine that steals, and the other way round.
TEST(Registry, WhatSplitsHasARule) {
  for (const entry& e : registry()) EXPECT_EQ(e.has(splitting), e.splits != nullptr) << e.name;
}

TEST(Registry, EntriesRunBothWays) {
  for (const entry& e : registry()) {
    for (const operations& way : {e.forward, e.backward}) {
      EXPECT_NE(way.construct, nullptr) << e.name;
      EXPECT_NE(way.next, nullptr) << e.name;
      EXPECT_NE(way.next_range, nullptr) << e.name;
      EXPECT_EQ(way.finish == nullptr, e.forward.finish == nullptr) << e.name;
    }
    EXPECT_NE(e.forward.next, e.backward.next) << e.name;
  }
}

TEST(Registry, EveryPropertyHasAName) {
  unsigned named = 0;
  std::set<std::string_view> names;
  for (const property_name& p : property_names()) {
    EXPECT_EQ(named & p.value, 0U) << p.name;
    named |= p.value;
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
  }
  for (const entry& e : registry()) EXPECT_EQ(e.properties & ~named, 0U) << e.name;
}

TEST(Registry, ObjectsKeepToTheirStorage) {
  for (const entry& e : registry()) {
    for (u64 iterations : {u64{0}, u64{1}, base::u64_max}) {
      SCOPED_TRACE(e.name);
      tests::hand_driver driver(3);
      driver.begin({&e, {}}, {iterations, 3});
      for (std::uint32_t w = 0; w < 3; ++w) driver.ask(w);
      driver.expect_bounds_kept();
    }
  }
}

TEST(Registry, NothingIsDealtOfAnEmptyLoop) {
  for (const entry& e : registry()) {
    tests::hand_driver driver(8);
    driver.begin({&e, {}}, {0, 8});
    for (std::uint32_t w = 0; w < 8; ++w) EXPECT_TRUE(driver.ask(w).empty()) << e.name;
  }
}

}  // namespace
}  // namespace doall::schedules
