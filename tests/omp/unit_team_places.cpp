// The places and partitions of a region's threads (src/omp/team_places.hpp): the standard's
// conditions for any numbers, and a few teams by hand.
#include "omp/team_places.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace doall::omp {
namespace {

using list = std::vector<std::uint32_t>;

list places_of(const team_places& team) {
  list found;
  for (std::uint32_t i = 0; i < team.threads; ++i) found.push_back(team.place_of(i));
  return found;
}

list parts_of(const team_places& team) {
  list found;
  for (std::uint32_t i = 0; i < team.threads; ++i) {
    found.push_back(team.partition_of(i).begin);
    found.push_back(team.partition_of(i).end);
  }
  return found;
}

TEST(TeamPlaces, ByHand) {
  EXPECT_EQ(places_of({binding::primary, 3, 5, {2, 8}}), (list{5, 5, 5}));
  EXPECT_EQ(places_of({binding::close, 4, 6, {2, 8}}), (list{6, 7, 2, 3}));
  EXPECT_EQ(places_of({binding::close, 5, 1, {0, 2}}), (list{1, 1, 1, 0, 0}));
  EXPECT_EQ(places_of({binding::spread, 4, 0, {0, 8}}), (list{0, 2, 4, 6}));
  EXPECT_EQ(places_of({binding::spread, 3, 5, {0, 8}}), (list{5, 6, 0}));
  EXPECT_EQ(parts_of({binding::spread, 3, 5, {0, 8}}), (list{3, 6, 6, 8, 0, 3}));
  EXPECT_EQ(parts_of({binding::spread, 3, 4, {4, 6}}), (list{4, 5, 4, 5, 5, 6}));
}

std::string name_of(const team_places& t) {
  return "bind " + std::to_string(static_cast<int>(t.bind)) + ", " + std::to_string(t.threads) +
         " threads, from " + std::to_string(t.home) + " in " + std::to_string(t.all.begin) + "-" +
         std::to_string(t.all.end);
}

void check(const team_places& t) {
  SCOPED_TRACE(name_of(t));
  const std::uint32_t places = t.all.size();
  std::vector<std::uint32_t> threads_at(t.all.end, 0);
  std::set<std::uint32_t> parts;
  for (std::uint32_t i = 0; i < t.threads; ++i) {
    const std::uint32_t place = t.place_of(i);
    const place_range part = t.partition_of(i);
    ASSERT_TRUE(place >= part.begin && place < part.end);
    ASSERT_TRUE(part.begin >= t.all.begin && part.end <= t.all.end);
    ++threads_at[place];
    if (t.bind != binding::spread) {
      ASSERT_EQ(part, t.all);
    } else if (t.threads <= places) {
      ASSERT_TRUE(part.size() == places / t.threads || part.size() == places / t.threads + 1);
      ASSERT_TRUE(parts.insert(part.begin).second);
      ASSERT_TRUE(i == 0 || place == part.begin);
    } else {
      ASSERT_EQ(part.size(), 1U);
    }
    if (i == 0) continue;
    const place_range before = t.partition_of(i - 1);
    if (t.bind == binding::spread && t.threads <= places) {
      ASSERT_EQ(part.begin, before.end == t.all.end ? t.all.begin : before.end);
    }
  }
  ASSERT_EQ(t.place_of(0), t.home);
  if (t.bind == binding::primary) return;
  const std::uint32_t least = t.threads / places;
  for (std::uint32_t p = t.all.begin; p < t.all.end; ++p) {
    ASSERT_TRUE(threads_at[p] == least || threads_at[p] == least + (t.threads % places != 0));
  }
}

TEST(TeamPlaces, AreAsTheStandardSays) {
  for (const binding bind : {binding::primary, binding::close, binding::spread}) {
    for (std::uint32_t places = 1; places <= 9; ++places) {
      for (std::uint32_t home = 0; home < places; ++home) {
        for (std::uint32_t threads = 1; threads <= 24; ++threads) {
          check({bind, threads, 3 + home, {3, 3 + places}});
        }
      }
    }
  }
}

}  // namespace
}  // namespace doall::omp
