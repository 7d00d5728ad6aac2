// The trees of teams on machines that are not here, drawn as `doall doctor` draws them:
// every line is a worker, and every byte counts. tree_picture.hpp says how to read them.
#include <gtest/gtest.h>

#include <vector>

#include "barrier/tree_picture.hpp"
#include "topology/domains.hpp"
#include "topology/hwloc_tree.hpp"
#include "topology/topology.hpp"

namespace doall {
namespace {

// Where domains begin on a machine of hwloc's synthetic language, all CPUs allowed.
std::vector<std::uint32_t> starts_on(const char* machine, std::uint32_t workers) {
  const topology::hwloc_tree found(machine);
  std::vector<int> cpus;
  for (const hwloc_obj_t unit : found.all(HWLOC_OBJ_PU)) {
    cpus.push_back(static_cast<int>(unit->os_index));
  }
  const std::vector<int> order = topology::pin_order_on(found, cpus);
  return topology::starts_of(topology::domains_on(found, order), workers);
}

// What draw_tree() draws begins on the line after the quotation mark.
std::string drawing(const char* machine, std::uint32_t workers) {
  const std::vector<std::uint32_t> starts = starts_on(machine, workers);
  return "\n" + barrier::draw_tree(barrier::tree::over(starts), workers);
}

TEST(tree_drawings, four_packages_of_twelve) {
  EXPECT_EQ(drawing("package:4 core:12 pu:1", 48), R"(
0 .. 47
├─ 36 .. 47
│  ├─ 44 .. 47
│  │  ├─ 46 .. 47
│  │  │  └─ 47
│  │  └─ 45
│  ├─ 40 .. 43
│  │  ├─ 42 .. 43
│  │  │  └─ 43
│  │  └─ 41
│  ├─ 38 .. 39
│  │  └─ 39
│  └─ 37
├─ 24 .. 35
│  ├─ 32 .. 35
│  │  ├─ 34 .. 35
│  │  │  └─ 35
│  │  └─ 33
│  ├─ 28 .. 31
│  │  ├─ 30 .. 31
│  │  │  └─ 31
│  │  └─ 29
│  ├─ 26 .. 27
│  │  └─ 27
│  └─ 25
├─ 12 .. 23
│  ├─ 20 .. 23
│  │  ├─ 22 .. 23
│  │  │  └─ 23
│  │  └─ 21
│  ├─ 16 .. 19
│  │  ├─ 18 .. 19
│  │  │  └─ 19
│  │  └─ 17
│  ├─ 14 .. 15
│  │  └─ 15
│  └─ 13
├─ 8 .. 11
│  ├─ 10 .. 11
│  │  └─ 11
│  └─ 9
├─ 4 .. 7
│  ├─ 6 .. 7
│  │  └─ 7
│  └─ 5
├─ 2 .. 3
│  └─ 3
└─ 1
)");
}

TEST(tree_drawings, two_packages_of_twenty) {
  EXPECT_EQ(drawing("package:2 core:20 pu:1", 40), R"(
0 .. 39
├─ 20 .. 39
│  ├─ 36 .. 39
│  │  ├─ 38 .. 39
│  │  │  └─ 39
│  │  └─ 37
│  ├─ 28 .. 35
│  │  ├─ 32 .. 35
│  │  │  ├─ 34 .. 35
│  │  │  │  └─ 35
│  │  │  └─ 33
│  │  ├─ 30 .. 31
│  │  │  └─ 31
│  │  └─ 29
│  ├─ 24 .. 27
│  │  ├─ 26 .. 27
│  │  │  └─ 27
│  │  └─ 25
│  ├─ 22 .. 23
│  │  └─ 23
│  └─ 21
├─ 16 .. 19
│  ├─ 18 .. 19
│  │  └─ 19
│  └─ 17
├─ 8 .. 15
│  ├─ 12 .. 15
│  │  ├─ 14 .. 15
│  │  │  └─ 15
│  │  └─ 13
│  ├─ 10 .. 11
│  │  └─ 11
│  └─ 9
├─ 4 .. 7
│  ├─ 6 .. 7
│  │  └─ 7
│  └─ 5
├─ 2 .. 3
│  └─ 3
└─ 1
)");
}

TEST(tree_drawings, three_packages_of_five) {
  EXPECT_EQ(drawing("package:3 core:5 pu:1", 15), R"(
0 .. 14
├─ 10 .. 14
│  ├─ 14
│  ├─ 12 .. 13
│  │  └─ 13
│  └─ 11
├─ 5 .. 9
│  ├─ 9
│  ├─ 7 .. 8
│  │  └─ 8
│  └─ 6
├─ 4
├─ 2 .. 3
│  └─ 3
└─ 1
)");
}

// The pairs of fine-grain, Figure 5: 0-1, 2-3, 4-5, 6-7, then 0-2, 4-6, then 0-4.
TEST(tree_drawings, one_package_of_eight) {
  EXPECT_EQ(drawing("package:1 core:8 pu:1", 8), R"(
0 .. 7
├─ 4 .. 7
│  ├─ 6 .. 7
│  │  └─ 7
│  └─ 5
├─ 2 .. 3
│  └─ 3
└─ 1
)");
}

TEST(tree_drawings, one_core) {
  EXPECT_EQ(drawing("package:1 core:1 pu:1", 1), R"(
0
)");
}

// The second threads of a domain are numbered after all first ones: a part of their own.
TEST(tree_drawings, second_threads_of_cores) {
  EXPECT_EQ(drawing("package:2 core:4 pu:2", 16), R"(
0 .. 15
├─ 12 .. 15
│  ├─ 14 .. 15
│  │  └─ 15
│  └─ 13
├─ 8 .. 11
│  ├─ 10 .. 11
│  │  └─ 11
│  └─ 9
├─ 4 .. 7
│  ├─ 6 .. 7
│  │  └─ 7
│  └─ 5
├─ 2 .. 3
│  └─ 3
└─ 1
)");
}

TEST(tree_drawings, four_packages_of_twelve_limited_to_thirty) {
  EXPECT_EQ(drawing("package:4 core:12 pu:1", 30), R"(
0 .. 29
├─ 24 .. 29
│  ├─ 28 .. 29
│  │  └─ 29
│  ├─ 26 .. 27
│  │  └─ 27
│  └─ 25
├─ 12 .. 23
│  ├─ 20 .. 23
│  │  ├─ 22 .. 23
│  │  │  └─ 23
│  │  └─ 21
│  ├─ 16 .. 19
│  │  ├─ 18 .. 19
│  │  │  └─ 19
│  │  └─ 17
│  ├─ 14 .. 15
│  │  └─ 15
│  └─ 13
├─ 8 .. 11
│  ├─ 10 .. 11
│  │  └─ 11
│  └─ 9
├─ 4 .. 7
│  ├─ 6 .. 7
│  │  └─ 7
│  └─ 5
├─ 2 .. 3
│  └─ 3
└─ 1
)");
}

TEST(tree_drawings, flat) {
  EXPECT_EQ("\n" + barrier::draw_tree(barrier::tree::flat(), 4), R"(
0 .. 3
├─ 3
├─ 2
└─ 1
)");
}

// The children of `b` from the one that begins at its second worker on: the order of
// the join.
std::vector<barrier::branch> joined(const barrier::tree& shape, barrier::branch b) {
  std::vector<barrier::branch> children;
  for (std::uint32_t begin = b.begin + 1; begin < b.end; begin = children.back().end) {
    children.push_back(shape.child_at(b, begin));
  }
  return children;
}

// Release and join ask different functions for the children, of which one drew the above.
void expect_join_is_release_backwards(const barrier::tree& shape, barrier::branch b) {
  std::vector<barrier::branch> children = joined(shape, b);
  for (barrier::branch rest = b; rest.size() > 1;) {
    const barrier::branch child = shape.last_child(rest);
    ASSERT_FALSE(children.empty());
    ASSERT_EQ(child, children.back()) << "below " << b.begin << " .. " << b.end;
    children.pop_back();
    rest.end = child.begin;
    expect_join_is_release_backwards(shape, child);
  }
  EXPECT_TRUE(children.empty());
}

TEST(tree_drawings, joins_go_from_the_bottom_to_the_top) {
  for (const char* machine : {"package:4 core:12 pu:1", "package:2 core:20 pu:1",
                              "package:3 core:5 pu:1", "package:2 core:4 pu:2", "pu:1"}) {
    for (std::uint32_t workers = 1; workers <= 130; ++workers) {
      const std::vector<std::uint32_t> starts = starts_on(machine, workers);
      expect_join_is_release_backwards(barrier::tree::over(starts), {0, workers});
    }
  }
  expect_join_is_release_backwards(barrier::tree::flat(), {0, 9});
}

}  // namespace
}  // namespace doall
