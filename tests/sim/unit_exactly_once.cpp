// The check of every run in virtual time finds what is missing, dealt twice, or beyond the end.
#include "sim/exactly_once.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/virtual_run.hpp"

namespace doall::tests {
namespace {

using schedules::nothing_left;
using sim::dealt_chunk;
using sim::iteration_sums;

std::string complaint(const std::vector<chunk>& chunks, u64 iterations) {
  std::vector<dealt_chunk> all;
  for (const chunk& c : chunks) all.push_back({.what = c});
  try {
    sim::expect_exactly_once(all, iterations);
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return "";
}

TEST(ExactlyOnce, TakesAnyOrder) {
  EXPECT_EQ(complaint({}, 0), "");
  EXPECT_EQ(complaint({{0, 5, 1}, {5, 10, 1}}, 10), "");
  EXPECT_EQ(complaint({{5, 10, 1}, {0, 5, 1}}, 10), "");
  EXPECT_EQ(complaint({{1, 10, 2}, {0, 10, 2}}, 10), "");
  EXPECT_EQ(complaint({{2, 10, 4}, {0, 6, 4}, {8, 9, 4}, {3, 10, 4}, {1, 10, 4}}, 10), "");
}

TEST(ExactlyOnce, FindsWhatIsWrong) {
  EXPECT_EQ(complaint({{0, 5, 1}}, 10), "5 of 10 iterations were not dealt");
  EXPECT_EQ(complaint({{0, 5, 1}, {4, 10, 1}}, 10), "iteration 4 was dealt twice");
  EXPECT_EQ(complaint({{0, 11, 1}}, 10), "iteration 10 was dealt, beyond the loop's end");
  EXPECT_EQ(complaint({{0, 10, 2}, {1, 8, 2}, {8, 9, 2}}, 10), "iteration 8 was dealt twice");
  EXPECT_NE(complaint({{0, 10, 2}, {1, 5, 1}}, 10), "");
}

TEST(ExactlyOnce, SumsOfPiecesTellShiftedOnesApart) {
  const auto is_held = [](const std::vector<chunk>& pieces, u64 iterations) {
    iteration_sums sums;
    sums.begin_execution(iterations);
    for (const chunk& c : pieces) sums.add_piece(c.begin, c.end);
    try {
      sums.expect_exactly_once();
    } catch (const std::logic_error&) {
      return false;
    }
    return true;
  };
  for (const u64 n : {1ULL, 2ULL, 3ULL, 1000ULL, 1001ULL, 1002ULL, 1ULL << 40, (1ULL << 63) + 5}) {
    EXPECT_TRUE(is_held({{n / 3, n, 1}, {0, n / 3, 1}}, n)) << n;
    EXPECT_FALSE(is_held({{0, n - 1, 1}}, n)) << n;
    EXPECT_FALSE(is_held({{1, n + 1, 1}}, n)) << n;
    EXPECT_FALSE(is_held({{0, n, 1}, {n / 2, n / 2 + 1, 1}}, n)) << n;
  }
}

// A schedule that is wrong: the run does not go unnoticed.
TEST(ExactlyOnce, ARunChecksItself) {
  schedules::entry wrong = *spec_of("dynamic,4").which;
  static schedules::operations right;
  right = wrong.forward;
  wrong.forward.next = [](void* object, schedules::worker w, schedules::feedback last) {
    chunk c = right.next(object, w, last);
    if (c.begin == 8) c.end -= 1;  // loses one
    return c;
  };
  EXPECT_NO_THROW(run_of("dynamic,4", {40, 2}));
  EXPECT_THROW(sim::run_once({.schedule = {.which = &wrong, .given = {}}, .shape = {40, 2}}),
               std::logic_error);
  wrong.forward.next = [](void*, schedules::worker, schedules::feedback) {
    return chunk{0, 1, 1, schedules::origin::central};  // and never ends
  };
  EXPECT_THROW(sim::run_once({.schedule = {.which = &wrong, .given = {}}, .shape = {40, 2}}),
               std::logic_error);
}

}  // namespace
}  // namespace doall::tests
