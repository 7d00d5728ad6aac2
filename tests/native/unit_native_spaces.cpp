// doall::space and doall_for_space: every index once, in the tiles that were asked for, under every
// schedule; reductions of the same bits.
#include <doall/doall.h>
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/every_schedule.hpp"

namespace {

TEST(Space, EveryIndexOnceUnderEverySchedule) {
  const doall::thread_scope team(3);
  for (const auto& how : doall::tests::every_schedule()) {
    for (const auto& [rows, columns] :
         {std::pair(0, 5), {5, 0}, {1, 1}, {7, 1}, {1, 300}, {33, 70}}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(rows * columns));
      doall::parallel_for(
          doall::space(rows, columns),
          [&](int i, int j) { ++seen[static_cast<std::size_t>(i * columns + j)]; }, how);
      for (const auto& count : seen) ASSERT_EQ(count, 1) << rows << " by " << columns;
    }
  }
}

// The rule from a number to a tile, by hand: 5 by 7 in tiles of 2 by 3.
TEST(Space, Tiles) {
  const auto space = doall::space(5, 7).tiles(2, 3);
  ASSERT_EQ(space.tile_count(), 9U);
  EXPECT_EQ(space.size(), 35U);
  const auto first = space.tile_at(0);
  EXPECT_EQ(first[0].last(), 2);
  EXPECT_EQ(first[1].last(), 3);
  const auto middle = space.tile_at(4);
  EXPECT_EQ(middle[0].first(), 2);
  EXPECT_EQ(middle[1].first(), 3);
  EXPECT_EQ(middle.size(), 6U);
  const auto last = space.tile_at(8);
  EXPECT_EQ(last[0].first(), 4);
  EXPECT_EQ(last[1].first(), 6);
  EXPECT_EQ(last.size(), 1U);
  std::vector<int> order;
  last.for_each([&](int i, int j) { order.insert(order.end(), {i, j}); });
  middle.for_each([&](int i, int j) { order.insert(order.end(), {i, j}); });
  EXPECT_EQ(order, (std::vector<int>{4, 6, 2, 3, 2, 4, 2, 5, 3, 3, 3, 4, 3, 5}));
  EXPECT_EQ(doall::space(5, 7).tiles(100, 100).tile_count(), 1U);
  EXPECT_THROW(static_cast<void>(doall::space(5, 7).tiles(0, 3)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(doall::space(5, 7).tiles(2, -1)), std::invalid_argument);
}

TEST(Space, ChosenTiles) {
  EXPECT_EQ(doall::space(10'000, 10'000).tile_at(0).size(), 64U * 64U);
  EXPECT_EQ(doall::space(3, 3).tile_count(), 3U);
  EXPECT_EQ(doall::space(2, 2000).tile_count(), 250U);
  EXPECT_EQ(doall::space(100, 10'000, 10'000).tile_at(0)[0].size(), 1U);
}

TEST(Space, TileBodiesAndOneToEightDimensions) {
  const doall::thread_scope team(3);
  std::atomic<long> indices{0};
  doall::parallel_for(doall::space(50, 60).tiles(8, 8), [&](doall::tile<int, 2> t) {
    EXPECT_LE(t.size(), 64U);
    for (const int i : t[0]) {
      for (const int j : t[1]) indices += i * 60 + j;
    }
  });
  EXPECT_EQ(indices, 3000L * 2999 / 2);
  const auto count = [&](auto...) { ++indices; };
  indices = 0;
  doall::parallel_for(doall::space(100), count);
  doall::parallel_for(doall::space(4, 5, 6), count);
  doall::parallel_for(doall::space(2, 3, 4, 5), count);
  doall::parallel_for(doall::space(2, 2, 2, 2, 2, 2, 2, 3), count);
  EXPECT_EQ(indices, 100 + 120 + 120 + 384);
}

TEST(Space, RangesAndTypes) {
  std::atomic<long> sum{0};
  doall::parallel_for(doall::space(doall::range<int>(-3, 3), doall::range<int>(10, 12)),
                      [&](int i, int j) { sum += 100 * i + j; });
  EXPECT_EQ(sum, -600 + 126);
  sum = 0;
  doall::parallel_for(doall::space(std::size_t{3}, 4U),
                      [&](std::size_t i, std::size_t j) { sum += static_cast<long>(10 * i + j); });
  EXPECT_EQ(sum, 10 * 12 + 18);
  using narrow = std::int8_t;
  sum = 0;
  doall::parallel_for(doall::space(doall::range<narrow>(-128, 127), narrow{2}),
                      [&](narrow, narrow) { ++sum; });
  EXPECT_EQ(sum, 510);
  sum = 0;
  doall::parallel_for(doall::space(-3, 5), [&](int, int) { ++sum; });
  EXPECT_EQ(sum, 0);
  const auto huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(doall::parallel_for(doall::space(huge, huge).tiles(1, 1), [](auto, auto) {}),
               std::length_error);
}

TEST(Space, ReductionsHaveTheSameBits) {
  std::vector<double> results;
  const auto term = [](int i, int j) { return 1.0 / (1 + i * 517 + j); };
  for (const int threads : {1, 2, 4}) {
    const doall::thread_scope team(threads);
    for (const char* how : {"dynamic,1", "lbs"}) {
      results.push_back(doall::parallel_reduce(doall::space(311, 517), 0.0, term, std::plus<>{},
                                               doall::schedule(how)));
    }
  }
  for (const double result : results) EXPECT_EQ(result, results.front());
  const std::string words = doall::parallel_reduce(
      doall::space(2, 3).tiles(1, 3), std::string(),
      [](int i, int j) { return std::to_string(10 * i + j) + " "; }, std::plus<>{});
  EXPECT_EQ(words, "0 1 2 10 11 12 ");
  EXPECT_EQ(
      doall::parallel_reduce(
          doall::space(40, 50), 0UL, [](doall::tile<int, 2> t) { return t.size(); }, std::plus<>{}),
      2000U);
  EXPECT_EQ(
      doall::parallel_reduce(doall::space(0, 50), 7, [](int, int) { return 1; }, std::plus<>{}), 7);
}

TEST(Space, NestedStoppedAndThrowing) {
  const doall::thread_scope team(4);
  std::atomic<int> ran{0};
  doall::parallel_for(0, 10, [&](int) {
    doall::parallel_for(doall::space(30, 30).tiles(4, 4), [&](int, int) { ++ran; });
  });
  EXPECT_EQ(ran, 9000);
  EXPECT_THROW(doall::parallel_for(doall::space(100, 100),
                                   [](int i, int) {
                                     if (i == 50) throw std::runtime_error("no");
                                   }),
               std::runtime_error);
  std::stop_source source;
  source.request_stop();
  ran = 0;
  EXPECT_EQ(doall::parallel_for(doall::space(100, 100), [&](int, int) { ++ran; },
                                {.stop = source.get_token()}),
            doall::loop_end::stopped);
  EXPECT_EQ(ran, 0);
  const std::vector<int> costs(25, 1);
  doall::parallel_for(
      doall::space(10, 10).tiles(2, 2), [&](int, int) { ++ran; }, doall::weights(costs));
  EXPECT_EQ(ran, 100);
  EXPECT_THROW(doall::parallel_for(
                   doall::space(10, 10).tiles(5, 5), [](int, int) {}, doall::weights(costs)),
               std::invalid_argument);
}

TEST(Space, StaticDealsEveryTile) {
  const doall::thread_scope team(2);
  std::mutex lock;
  std::vector<std::uint64_t> whose(16);
  const auto space = doall::space(8, 8).tiles(2, 2);
  for (int round = 0; round < 2; ++round) {
    doall::parallel_for(
        space,
        [&](doall::tile<int, 2> t) {
          const std::scoped_lock held(lock);
          ++whose[static_cast<std::size_t>(t[0].first() * 2 + t[1].first() / 2)];
        },
        doall::schedule("static"));
  }
  for (const auto times : whose) EXPECT_EQ(times, 2U);
}

int count_tile(void* context, const doall_tile* tile) {
  const std::uint64_t size = (tile->last[0] - tile->first[0]) * (tile->last[1] - tile->first[1]);
  static_cast<std::atomic<std::uint64_t>*>(context)->fetch_add(size);
  return 0;
}
int add_tile(void*, const doall_tile* tile, void* sum) {
  for (std::uint64_t i = tile->first[0]; i < tile->last[0]; ++i) {
    for (std::uint64_t j = tile->first[1]; j < tile->last[1]; ++j) {
      *static_cast<double*>(sum) += 1.0 / static_cast<double>(1 + i * 517 + j);
    }
  }
  return 0;
}
void add(void*, void* left, const void* right) {
  *static_cast<double*>(left) += *static_cast<const double*>(right);
}
int stop_at_once(void*, const doall_tile*) { return 5; }

TEST(Space, InC) {
  const doall_space space = {2, {311, 517}, {0}};
  std::atomic<std::uint64_t> indices{0};
  EXPECT_EQ(doall_for_space(&space, count_tile, &indices, nullptr), 0);
  EXPECT_EQ(indices, 311U * 517U);
  double first = 0;
  EXPECT_EQ(doall_reduce_space(&space, &first, sizeof first, add_tile, add, nullptr, nullptr), 0);
  for (const std::uint32_t threads : {1U, 3U}) {
    const std::uint32_t before = doall_set_threads(threads);
    double sum = 0;
    EXPECT_EQ(doall_reduce_space(&space, &sum, sizeof sum, add_tile, add, nullptr, nullptr), 0);
    EXPECT_EQ(sum, first);
    doall_set_threads(before);
  }
  EXPECT_EQ(doall_for_space(&space, stop_at_once, nullptr, nullptr), 5);
  doall_space wrong = {0, {1}, {0}};
  EXPECT_EQ(doall_for_space(&wrong, stop_at_once, nullptr, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
  wrong.dimensions = 9;
  EXPECT_EQ(doall_for_space(&wrong, stop_at_once, nullptr, nullptr), -1);
  wrong = {2, {UINT64_MAX, UINT64_MAX}, {1, 1}};
  EXPECT_EQ(doall_for_space(&wrong, stop_at_once, nullptr, nullptr), -1);
  EXPECT_EQ(errno, EOVERFLOW);
}

}  // namespace
