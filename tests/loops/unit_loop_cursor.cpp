// A door that hands on only ranges without a stride (loops/loop_cursor.hpp) gets
// every iteration once, in the source's own numbers, and the loop's last
// iteration last, also under schedules that deal strided chunks or deal a
// worker's chunks out of order.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "loops/loop_cursor.hpp"
#include "loops/loop_ring.hpp"
#include "schedule/grammar.hpp"

namespace {

using namespace doall;
using schedules::chunk;
using schedules::u64;

// A schedule that deals the chunks of a script, whoever asks.
std::vector<chunk> script;

void construct_nothing(void*, const schedules::loop_context&) {}

chunk next_of_script(void*, schedules::worker w, schedules::feedback) {
  return w.turn < script.size() ? script[w.turn] : schedules::nothing_left;
}

bool next_range_of_script(schedules::range_walk& at, u64* first, u64* last) {
  const chunk given = next_of_script(nullptr, at.me, {});
  ++at.me.turn;
  if (given.step == 1 && !given.empty() && given.end != at.iterations) {
    *first = at.value_of(given.begin);
    *last = at.value_of(given.end);
    return true;
  }
  at.rest = given;
  return at.otherwise(at, first, last);
}

schedules::entry scripted(unsigned properties) {
  const schedules::operations run{construct_nothing, construct_nothing, next_of_script,
                                  next_range_of_script, nullptr};
  return {"scripted", {}, "", "", {}, properties, run, run, nullptr, nullptr};
}

struct numbers_range {
  u64 first;
  u64 last;
  bool operator==(const numbers_range&) const = default;
};

std::vector<numbers_range> ranges_of(const schedules::entry& entry, u64 iterations,
                                     schedules::numbering numbers) {
  team::loop_ring ring(1, 1);
  team::loop_slot& slot =
      ring.open_alone(0, {{&entry, {}}, {iterations, 1}, {}, numbers, nullptr, {}});
  team::loop_cursor cursor;
  cursor.begin(slot, 0, numbers);
  std::vector<numbers_range> got;
  numbers_range r{};
  while (cursor.next_range(&r.first, &r.last)) got.push_back(r);
  EXPECT_FALSE(cursor.next_range(&r.first, &r.last)) << "the end is final";
  cursor.end();
  return got;
}

TEST(LoopCursor, TranslatesIntoTheSourcesNumbers) {
  const auto entry = scripted(schedules::monotonic);
  script = {{0, 3}, {3, 5}};
  // for (i = 100; i > 86; i -= 3): the last range ends at the source's bound.
  EXPECT_EQ(ranges_of(entry, 5, {100, static_cast<u64>(-3), 86}),
            (std::vector<numbers_range>{{100, 91}, {91, 86}}));
}

TEST(LoopCursor, DrainsStridedChunksPieceByPiece) {
  const auto entry = scripted(schedules::monotonic);
  script = {{0, 7, 3}, {1, 3}, {2, 6, 3}};
  EXPECT_EQ(ranges_of(entry, 9, {0, 1, 9}),
            (std::vector<numbers_range>{{0, 1}, {3, 4}, {6, 7}, {1, 3}, {2, 3}, {5, 6}}));
}

TEST(LoopCursor, KeepsTheLastIterationForTheEnd) {
  const auto entry = scripted(0);
  script = {{5, 8}, {0, 3}, {3, 5}};
  EXPECT_EQ(ranges_of(entry, 8, {0, 1, 8}),
            (std::vector<numbers_range>{{5, 7}, {0, 3}, {3, 5}, {7, 8}}));
  script = {{7, 8}, {0, 7}};  // the chunk that holds it holds nothing else
  EXPECT_EQ(ranges_of(entry, 8, {0, 1, 8}), (std::vector<numbers_range>{{0, 7}, {7, 8}}));
  script = {{1, 8, 2}, {0, 8, 2}};  // a strided one
  EXPECT_EQ(
      ranges_of(entry, 8, {0, 1, 8}),
      (std::vector<numbers_range>{{1, 2}, {3, 4}, {5, 6}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {7, 8}}));
}

// Whoever meets the loop's last chunk may have much to steal yet.
TEST(LoopCursor, GoesOnAsUsualBehindAnOddChunk) {
  const auto entry = scripted(0);
  script = {{0, 1}, {6, 8}, {1, 2}, {2, 6, 2}, {3, 4}, {5, 6}};
  team::loop_ring ring(1, 1);
  team::loop_slot& slot = ring.open_alone(0, {{&entry, {}}, {8, 1}, {}, {0, 1, 8}, nullptr, {}});
  team::loop_cursor cursor;
  cursor.begin(slot, 0, {0, 1, 8});
  const struct {
    numbers_range range;
    bool plain_afterwards;
  } steps[] = {{{0, 1}, true}, {{6, 7}, true}, {{1, 2}, true}, {{2, 3}, false},
               {{4, 5}, true}, {{3, 4}, true}, {{5, 6}, true}, {{7, 8}, false}};
  for (const auto& step : steps) {
    numbers_range r{};
    ASSERT_TRUE(cursor.next_range(&r.first, &r.last));
    EXPECT_EQ(r, step.range);
    EXPECT_EQ(cursor.is_plain(), step.plain_afterwards) << r.first;
  }
}

TEST(LoopCursor, LeavesAMonotonicSchedulesOrderAlone) {
  const auto entry = scripted(schedules::monotonic);
  script = {{0, 8}};
  EXPECT_EQ(ranges_of(entry, 8, {0, 1, 8}), (std::vector<numbers_range>{{0, 8}}));
}

// A door that takes chunks as they are: strided ones too, and the loop's last in its turn.
TEST(LoopCursor, HandsOnWholeChunks) {
  script = {{5, 8}, {0, 3, 2}, {3, 5}, {1, 2}};
  for (const unsigned properties : {0U, unsigned{schedules::adapts}}) {
    const auto entry = scripted(properties);
    team::loop_ring ring(1, 1);
    team::loop_slot& slot = ring.open_alone(0, {{&entry, {}}, {8, 1}, {}, {0, 1, 8}, nullptr, {}});
    team::loop_cursor cursor;
    cursor.begin(slot, 0, {.first = 100}, team::loop_cursor::pace::chunks);
    std::vector<chunk> got;
    chunk c;
    while (cursor.next_chunk(&c.begin, &c.end, &c.step)) got.push_back(c);
    cursor.end();
    ASSERT_EQ(got.size(), script.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].begin, 100 + script[i].begin);
      EXPECT_EQ(got[i].end, 100 + script[i].end);
      EXPECT_EQ(got[i].step, script[i].step) << "the " << i << "th, properties " << properties;
    }
  }
}

// A loop in cells of 3: eleven iterations are four cells, the last one of two.
TEST(LoopCursor, HandsOnWholeCells) {
  const schedules::numbering down{100, static_cast<u64>(-2), 79};
  const auto ranges_in_cells = [&](unsigned properties) {
    const auto entry = scripted(properties);
    team::loop_ring ring(1, 1);
    team::loop_slot& slot =
        ring.open_alone(0, {.how = {&entry, {}}, .shape = {11, 1}, .source = down, .cell = 3});
    team::loop_cursor cursor;
    cursor.begin(slot, 0, slot.first.source);
    std::vector<numbers_range> got;
    numbers_range r{};
    while (cursor.next_range(&r.first, &r.last)) got.push_back(r);
    cursor.end();
    return got;
  };
  script = {{0, 2}, {2, 4}};
  EXPECT_EQ(ranges_in_cells(schedules::monotonic),
            (std::vector<numbers_range>{{100, 88}, {88, 79}}));
  script = {{2, 4}, {0, 2}};
  // The last cell is kept whole, and each cell of a strided chunk is a range.
  EXPECT_EQ(ranges_in_cells(0), (std::vector<numbers_range>{{88, 82}, {100, 88}, {82, 79}}));
  script = {{1, 4, 2}, {0, 3, 2}};
  EXPECT_EQ(ranges_in_cells(0),
            (std::vector<numbers_range>{{94, 88}, {100, 94}, {88, 82}, {82, 79}}));
}

TEST(LoopCursor, OfAnEmptyLoopGivesNothing) {
  const auto entry = scripted(0);
  script = {};
  EXPECT_TRUE(ranges_of(entry, 0, {0, 1, 0}).empty());
}

// The real schedules, one worker after the other, through the same door.
TEST(LoopCursor, HandsOnEverySchedulesIterationsOnce) {
  for (const schedules::entry& entry : schedules::registry()) {
    constexpr u64 iterations = 137;
    constexpr std::uint32_t workers = 5;
    team::loop_ring ring(1, workers);
    const schedules::numbering numbers{1000, 7, 1000 + 7 * iterations};
    team::loop_slot& slot =
        ring.open_alone(0, {{&entry, {}}, {iterations, workers}, {}, numbers, nullptr, {}});
    std::array<int, iterations> seen{};
    for (std::uint32_t w = 0; w < workers; ++w) {
      team::loop_cursor cursor;
      cursor.begin(slot, w, numbers);
      u64 first = 0;
      u64 last = 0;
      while (cursor.next_range(&first, &last)) {
        for (u64 i = first; i < last; i += 7) seen[(i - 1000) / 7]++;
      }
    }
    for (int count : seen) ASSERT_EQ(count, 1) << entry.name;
  }
}

// A worker that leaves a loop early, for an exception or a stop, has planned chunks of its own.
TEST(LoopCursor, ForgetsInTheNextLoopWhatWasPlannedInTheLast) {
  const schedules::spec how = schedules::parse("wsr,1").value;
  constexpr u64 iterations = 64;
  team::loop_ring ring(1, 1);
  team::loop_cursor cursor;
  for (const u64 first_value : {u64{0}, u64{1000}}) {
    const schedules::numbering numbers{first_value, 1, first_value + iterations};
    team::loop_slot& slot =
        ring.open_alone(0, {.how = how, .shape = {iterations, 1}, .source = numbers});
    cursor.begin(slot, 0, numbers);
    numbers_range r{};
    for (u64 i = 0; i < 3; ++i) {
      ASSERT_TRUE(cursor.next_range(&r.first, &r.last));
      EXPECT_EQ(r, (numbers_range{first_value + i, first_value + i + 1}));
    }
    cursor.end();
  }
}

}  // namespace
