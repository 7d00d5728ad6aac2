// parallel_reduce in its fixed order: one cut and one tree for any threads and any
// schedule, one combination fewer than blocks, few Values at a time, and none lost.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "support/every_schedule.hpp"
#include "support/seeds.hpp"

namespace {

// The tree as blocks.h describes it, from the root down: leaf(block) are its leaves.
template <class Leaf, class Combine>
auto tree_of(std::uint64_t blocks, Leaf leaf, Combine combine) {
  const auto node = [&](const auto& self, std::uint64_t first, std::uint64_t width) {
    if (width == 1) return leaf(first);
    const auto left = self(self, first, width / 2);
    const std::uint64_t middle = first + width / 2;
    return middle < blocks ? combine(left, self(self, middle, width / 2)) : left;
  };
  return node(node, 0, std::bit_ceil(blocks));
}

double term(std::uint64_t i) { return (i % 3 == 0 ? -1.0 : 1.0) / (1.0 + static_cast<double>(i)); }

double sum_by_tree(std::uint64_t n) {
  if (n == 0) return 0.0;
  const doall_cut cut = doall_cut_of(n, sizeof(double));
  const auto block = [&](std::uint64_t b) {
    double sum = 0.0;
    for (auto i = doall_cut_begin(cut, b); i < doall_cut_begin(cut, b + 1); ++i) sum += term(i);
    return sum;
  };
  return tree_of(cut.blocks, block, std::plus<>());
}

// What was combined with what.
std::string pair_of(const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; }

TEST(Cut, CoversTheLoopInBlocksOfOneLengthOrOneMore) {
  for (const std::size_t bytes : {1, 8, 64, 65, 1024, 1 << 20}) {
    for (std::uint64_t n = 1; n < 5000; n += n < 700 ? 1 : 97) {
      const doall_cut cut = doall_cut_of(n, bytes);
      ASSERT_GE(cut.blocks, std::min<std::uint64_t>(n, DOALL_LEAST_BLOCKS));
      ASSERT_LE(cut.blocks, std::min<std::uint64_t>(n, DOALL_MOST_BLOCKS));
      ASSERT_EQ(doall_cut_begin(cut, 0), 0U);
      ASSERT_EQ(doall_cut_begin(cut, cut.blocks), n);
      for (std::uint64_t b = 0; b < cut.blocks; ++b) {
        const std::uint64_t length = doall_cut_begin(cut, b + 1) - doall_cut_begin(cut, b);
        ASSERT_EQ(length, doall_block_length(cut, b));
        ASSERT_TRUE(length == n / cut.blocks || length == n / cut.blocks + 1);
      }
    }
  }
}

TEST(Cut, HasFewerBlocksOfLargeValues) {
  EXPECT_EQ(doall_cut_of(100'000, 8).blocks, 256U);
  EXPECT_EQ(doall_cut_of(200, 64).blocks, 200U);
  EXPECT_EQ(doall_cut_of(40, 1024).blocks, 40U);
  EXPECT_EQ(doall_cut_of(100, 1024).blocks, 64U);
  EXPECT_EQ(doall_cut_of(100'000, 1024).blocks, 97U);
  EXPECT_EQ(doall_cut_of(1'000'000, 1024).blocks, 256U);
  EXPECT_EQ(doall_cut_of(UINT64_MAX, SIZE_MAX).blocks, 64U);
}

TEST(FixedOrder, IsTheTreeOfTheDescription) {
  const auto tree = [](int n) {
    return doall::parallel_reduce(
        0, n, std::string(), [](doall::range<int> part) { return std::to_string(part.first()); },
        pair_of);
  };
  EXPECT_EQ(tree(1), "0");
  EXPECT_EQ(tree(5), "(((0 1) (2 3)) 4)");
  EXPECT_EQ(tree(7), "(((0 1) (2 3)) ((4 5) 6))");
}

// Four blocks are added up side by side: in indices of any type, up to its greatest value.
TEST(FixedOrder, CountsInTheIndexType) {
  const auto expect = []<class Index>(Index first, Index last) {
    const auto term = [](Index i) { return 1.0 / (300.5 + static_cast<double>(i)); };
    const auto n = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    const doall_cut cut = doall_cut_of(n, sizeof(double));
    const auto block = [&](std::uint64_t b) {
      double sum = 0.0;
      for (auto i = doall_cut_begin(cut, b); i < doall_cut_begin(cut, b + 1); ++i)
        sum += term(static_cast<Index>(static_cast<std::uint64_t>(first) + i));
      return sum;
    };
    EXPECT_EQ(doall::parallel_reduce(first, last, 0.0, term, std::plus<>()),
              tree_of(cut.blocks, block, std::plus<>()));
  };
  expect(std::int8_t{-128}, std::int8_t{127});
  expect(std::uint8_t{0}, std::uint8_t{255});
  expect(std::int16_t{-200}, std::int16_t{32767});
  expect(INT64_MAX - 1001, INT64_MAX);
  expect(UINT64_MAX - 4099, UINT64_MAX);
}

// Every length up to 2000, each under several of the schedules and teams.
TEST(FixedOrder, GivesTheSameBitsForAnyThreadsAndSchedule) {
  constexpr std::uint64_t longest = 2000;
  constexpr std::uint64_t step = 41;
  std::vector<double> expected;
  for (std::uint64_t n = 0; n <= longest; ++n) expected.push_back(sum_by_tree(n));
  std::uint64_t offset = 0;
  for (const std::string& text : doall::tests::every_schedule_text()) {
    const doall::schedule how(text);
    for (std::uint32_t threads = 1; threads <= 9; ++threads) {
      const doall::thread_scope team(threads);
      for (std::uint64_t n = offset++ % step; n <= longest; n += step) {
        const double sum =
            doall::parallel_reduce(std::uint64_t{0}, n, 0.0, term, std::plus<>(), how);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(sum), std::bit_cast<std::uint64_t>(expected[n]))
            << n << " iterations, " << text << ", " << threads << " threads";
      }
    }
  }
}

// A value that tells what was combined with what, in one word.
struct order_of {
  std::uint64_t seen;
  order_of operator+(const order_of& right) const {
    return {(seen * 0x9e3779b97f4a7c15 + 1) ^ std::rotl(right.seen, 17)};
  }
};

// A short reduction in no loop, which its thread runs without the runtime.
TEST(FixedOrder, IsTheSameInOneGo) {
  const order_of identity{7};
  const auto term = [](std::uint64_t i) { return order_of{i * i + 3}; };
  const auto combine = std::plus<order_of>();
  const doall::detail::terms<std::uint64_t, order_of, decltype(term), decltype(combine)> terms{
      100, identity, term, combine};
  static_assert(decltype(terms)::adds_up_fours);
  for (std::uint64_t n = 1; n <= 3000; ++n) {
    const doall_cut cut = doall_cut_of(n, sizeof(order_of));
    const auto block = [&](std::uint64_t b) {
      order_of sum = identity;
      for (auto i = doall_cut_begin(cut, b); i < doall_cut_begin(cut, b + 1); ++i)
        sum = sum + term(100 + i);
      return sum;
    };
    const order_of sum = doall::detail::reduce_here<doall::detail::fixed_order, order_of>(terms, n);
    ASSERT_EQ(sum.seen, tree_of(cut.blocks, block, combine).seen) << n << " iterations";
  }
}

TEST(FixedOrder, CombinesOneTimeLessThanThereAreBlocksInOrder) {
  for (const std::string& text : doall::tests::every_schedule_text()) {
    const doall::schedule how(text);
    for (std::uint32_t threads = 1; threads <= 5; ++threads) {
      const doall::thread_scope team(threads);
      for (const int n : {1, 2, 63, 100, 255, 256, 700}) {
        const doall_cut cut = doall_cut_of(static_cast<std::uint64_t>(n), sizeof(std::string));
        std::atomic<std::uint64_t> combinations{0};
        const std::string tree = doall::parallel_reduce(
            0, n, std::string(),
            [](doall::range<int> part) { return std::to_string(part.first()); },
            [&](const std::string& a, const std::string& b) {
              ++combinations;
              return pair_of(a, b);
            },
            how);
        ASSERT_EQ(combinations, cut.blocks - 1);
        ASSERT_EQ(
            tree,
            tree_of(
                cut.blocks,
                [&](std::uint64_t b) { return std::to_string(doall_cut_begin(cut, b)); }, pair_of))
            << n << " iterations, " << text << ", " << threads << " threads";
      }
    }
  }
}

// What schedules may do and few of these do: any chunks, in any order.
TEST(FixedOrder, IsTheSameForRandomChunks) {
  doall::tests::for_each_case(300, [](doall::base::rng& random) {
    const std::uint64_t n = random.below(400) + 1;
    const doall_cut cut = doall_cut_of(n, sizeof(std::string));
    const std::string identity;
    const auto one = [](doall::range<std::uint64_t> part) { return std::to_string(part.first()); };
    const doall::detail::terms<std::uint64_t, std::string, decltype(one), decltype(pair_of)> terms{
        0, identity, one, pair_of};
    using view = doall::detail::view<std::string>;
    doall::detail::views<view> views(cut.blocks);
    const doall::detail::block_sums<doall::detail::fixed_order, decltype(terms), view> sums{
        terms, cut, views.data()};

    std::vector<std::uint64_t> cuts{0};
    const std::uint64_t longest = random.below(cut.blocks) + 1;
    while (cuts.back() < cut.blocks) {
      cuts.push_back(std::min(cut.blocks, cuts.back() + random.below(longest) + 1));
    }
    std::vector<std::size_t> order(cuts.size() - 1);
    for (std::size_t c = 0; c < order.size(); ++c) {
      const std::size_t at = random.below(c + 1);
      order[c] = order[at];
      order[at] = c;
    }
    for (const std::size_t c : order) sums(cuts[c], cuts[c + 1], doall::detail::never_stopped{});
    sums.finish();
    EXPECT_EQ(
        views.data()->sum,
        tree_of(
            cut.blocks, [&](std::uint64_t b) { return std::to_string(doall_cut_begin(cut, b)); },
            pair_of));
  });
}

// Counts those that live, those that were copied, and those that die twice.
class counted_copies {
 public:
  explicit counted_copies(int blocks) : blocks_(blocks) { born(); }
  counted_copies(const counted_copies& other) : blocks_(other.blocks_) {
    ++copied;
    born();
  }
  counted_copies(counted_copies&& other) noexcept : blocks_(other.blocks_) { born(); }
  counted_copies& operator=(const counted_copies&) = default;
  ~counted_copies() {
    if (sign_ != living) ++unborn_deaths;
    sign_ = 0;
    --alive;
  }
  int blocks() const { return blocks_; }

  static void begin_count() { alive = copied = unborn_deaths = most_alive = 0; }

  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> most_alive{0};
  static inline std::atomic<int> copied{0};
  static inline std::atomic<int> unborn_deaths{0};

 private:
  static constexpr unsigned living = 0x600df00d;

  void born() {
    const int now = ++alive;
    int most = most_alive;
    while (now > most && !most_alive.compare_exchange_weak(most, now)) {
    }
  }

  volatile unsigned sign_ = living;  // volatile: also what is destroyed is still written
  int blocks_;
};

TEST(FixedOrder, KeepsFewValuesAtATimeAndCopiesNone) {
  const doall::thread_scope one(1);
  counted_copies::begin_count();
  const int blocks =
      doall::parallel_reduce(
          0, 5000, counted_copies(0), [](doall::range<int>) { return counted_copies(1); },
          [](const counted_copies& a, const counted_copies& b) {
            return counted_copies(a.blocks() + b.blocks());
          },
          doall::schedule::static_())
          .blocks();
  EXPECT_EQ(blocks, 256);
  EXPECT_EQ(counted_copies::alive, 0);
  EXPECT_EQ(counted_copies::copied, 0);
  EXPECT_LE(counted_copies::most_alive,
            8 + 2 + 1);  // the stack; a block as it is moved there; the identity
}

struct thrown {};

const std::array<const char*, 5> some_schedules = {"static", "dynamic", "cyclic", "guided",
                                                   "dynamic,5"};

// Runs loop(how, position) for positions 0, 1, ... until it says that it has come to none.
template <class Loop>
void at_every_position(Loop loop) {
  for (const std::uint32_t threads : {1U, 2U, 3U, 7U}) {
    const doall::thread_scope team(threads);
    for (const char* text : some_schedules) {
      for (int position = 0;; ++position) {
        counted_copies::begin_count();
        const bool reached = loop(doall::schedule(text), position);
        ASSERT_EQ(counted_copies::alive, 0) << text << ", position " << position;
        ASSERT_EQ(counted_copies::unborn_deaths, 0) << text << ", position " << position;
        if (!reached) {
          ASSERT_GE(position, 99);
          break;
        }
      }
    }
  }
}

counted_copies both(const counted_copies& a, const counted_copies& b) {
  return counted_copies(a.blocks() + b.blocks());
}

TEST(FixedOrder, LosesNoValueWhenABlockThrows) {
  at_every_position([](const doall::schedule& how, int position) {
    const auto body = [&](doall::range<int> part) {
      if (part.first() == position) throw thrown();
      return counted_copies(1);
    };
    try {
      const counted_copies all = doall::parallel_reduce(0, 100, counted_copies(0), body, both, how);
      EXPECT_EQ(all.blocks(), 100);
      return false;
    } catch (const thrown&) {
      return true;
    }
  });
}

TEST(FixedOrder, LosesNoValueWhenACombinationThrows) {
  at_every_position([](const doall::schedule& how, int position) {
    std::atomic<int> combinations{0};
    const auto fragile = [&](const counted_copies& a, const counted_copies& b) {
      if (combinations++ == position) throw thrown();
      return both(a, b);
    };
    try {
      const counted_copies all = doall::parallel_reduce(
          0, 100, counted_copies(0), [](doall::range<int>) { return counted_copies(1); }, fragile,
          how);
      EXPECT_EQ(all.blocks(), 100);
      EXPECT_EQ(combinations, 99);
      return false;
    } catch (const thrown&) {
      return true;
    }
  });
}

TEST(FixedOrder, LosesNoValueWhenItIsStopped) {
  at_every_position([](const doall::schedule& how, int position) {
    std::stop_source source;
    const auto body = [&](doall::range<int> part) {
      if (part.first() == position) source.request_stop();
      return counted_copies(1);
    };
    try {
      const counted_copies all = doall::parallel_reduce(0, 100, counted_copies(0), body, both,
                                                        {.how = how, .stop = source.get_token()});
      EXPECT_EQ(all.blocks(), 100);
    } catch (const doall::stopped&) {
      EXPECT_TRUE(source.stop_requested());
    }
    return position < 100;
  });
}

}  // namespace
