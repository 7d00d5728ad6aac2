// What a dealt chunk promises (src/schedule/README.md), for every schedule of the registry, as a
// door that hands on ranges gives it to a worker: whole cells of the chunk that is named, the last
// one too; rising numbers under a schedule that is monotonic; the loop's last iteration last.
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "loops/loop_cursor.hpp"
#include "loops/loop_ring.hpp"
#include "support/any_loop.hpp"
#include "support/interleaving.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

struct dealt_loop {
  schedules::spec how;
  schedules::loop_shape shape;
  u64 cell;
  schedules::numbering source;
};

// Upwards or downwards by some step; the source's bound lies behind the last iteration.
schedules::numbering any_source(base::rng& random, u64 iterations) {
  const auto step = static_cast<std::int64_t>(1 + random.below(5));
  const std::int64_t increment = random.below(2) == 0 ? step : -step;
  const auto first = static_cast<std::int64_t>(random.below(1000)) - 500;
  const auto span = static_cast<std::int64_t>(iterations) * increment;
  const std::int64_t short_of = static_cast<std::int64_t>(random.below(step));
  const std::int64_t bound = first + span + (increment > 0 ? -short_of : short_of);
  return {static_cast<u64>(first), static_cast<u64>(increment), static_cast<u64>(bound)};
}

// The iterations in a range, from its first to behind its last.
schedules::range iterations_in(const dealt_loop& loop, u64 first, u64 last) {
  const auto increment = static_cast<std::int64_t>(loop.source.increment);
  const auto from = static_cast<std::int64_t>(first - loop.source.first);
  const auto to = static_cast<std::int64_t>(last - loop.source.first);
  if (last == loop.source.last) return {static_cast<u64>(from / increment), loop.shape.iterations};
  EXPECT_EQ(to % increment, 0);
  return {static_cast<u64>(from / increment), static_cast<u64>(to / increment)};
}

class dealt_ranges {
 public:
  explicit dealt_ranges(const dealt_loop& loop)
      : loop_(loop),
        dealt_(loop.shape.iterations),
        behind_(loop.shape.workers),
        has_last_(loop.shape.workers) {}

  void check(std::uint32_t w, const schedules::range& r) {
    ASSERT_LT(r.begin, r.end);
    ASSERT_LE(r.end, loop_.shape.iterations);
    ASSERT_EQ(r.begin % loop_.cell, 0U) << "begins inside of a cell";
    ASSERT_TRUE(r.end % loop_.cell == 0 || r.end == loop_.shape.iterations)
        << "ends inside of a cell, at " << r.end;
    ASSERT_FALSE(has_last_[w]) << "the loop's last iteration was not its worker's last";
    has_last_[w] = r.end == loop_.shape.iterations;
    if (loop_.how.has(schedules::monotonic)) {
      ASSERT_GE(r.begin, behind_[w]) << "worker " << w << " went back";
    }
    behind_[w] = r.end;
    for (u64 i = r.begin; i < r.end; ++i) {
      ASSERT_FALSE(dealt_[i]) << "iteration " << i << " again";
      dealt_[i] = true;
    }
    count_ += r.size();
  }

  u64 count() const { return count_; }

 private:
  const dealt_loop& loop_;
  std::vector<bool> dealt_;
  std::vector<u64> behind_;  // per worker: the end of its last range
  std::vector<bool> has_last_;
  u64 count_ = 0;
};

void deal(base::rng& random, const dealt_loop& loop) {
  SCOPED_TRACE(describe(loop.how, loop.shape) + ", cells of " + std::to_string(loop.cell));
  const std::uint32_t workers = loop.shape.workers;
  team::loop_ring ring(1, workers);
  team::loop_slot& slot = ring.open_alone(
      0, {.how = loop.how, .shape = loop.shape, .source = loop.source, .cell = loop.cell});
  std::deque<team::loop_cursor> cursors(workers);
  for (std::uint32_t w = 0; w < workers; ++w) cursors[w].begin(slot, w, slot.first.source);
  dealt_ranges all(loop);
  interleaving order(random, workers, workers);
  for (std::uint32_t w = order.next(); w != interleaving::nobody; w = order.next()) {
    u64 first = 0;
    u64 last = 0;
    if (!cursors[w].next_range(&first, &last)) {
      order.leave();
      continue;
    }
    all.check(w, iterations_in(loop, first, last));
    if (testing::Test::HasFatalFailure()) return;
  }
  for (team::loop_cursor& cursor : cursors) cursor.end();
  ring.close_alone(0);
  EXPECT_EQ(all.count(), loop.shape.iterations);
}

class EveryDealing : public testing::TestWithParam<const schedules::entry*> {};

TEST_P(EveryDealing, IsInWholeCells) {
  const schedules::entry& which = *GetParam();
  for_each_case(300 * times_longer(), [&](base::rng& random) {
    dealt_loop loop{.how = {&which, {}},
                    .shape = {random.below(3000), static_cast<std::uint32_t>(1 + random.below(9))},
                    .cell = 1 + random.below(40),
                    .source = {}};
    if (random.below(8) == 0) loop.cell = loop.shape.iterations + random.below(3) + 1;
    // What whoever steers names beside the schedule: its chunk is the cell.
    if (random.below(2) == 0) {
      loop.how = any_spec(random, which, loop.shape);
      if (const u64 chunk = schedules::chunk_of(loop.how); chunk != 0) loop.cell = chunk;
    }
    loop.source = any_source(random, loop.shape.iterations);
    deal(random, loop);
  });
}

INSTANTIATE_TEST_SUITE_P(
    registry, EveryDealing,
    [] {
      std::vector<const schedules::entry*> all;
      for (const schedules::entry& e : schedules::registry()) all.push_back(&e);
      return testing::ValuesIn(all);
    }(),
    [](const auto& info) { return test_name(info.param->name); });

}  // namespace
}  // namespace doall::tests
