// LBS's programs of recursive and irregular loops compute what their names say, by their
// serial runs, and cut off where the paper does; quicksort's shared partition, which needs
// many workers to be used, does what a partition does, and so under every schedule; the trees
// that are recorded are the programs'.
#include <doall/doall.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <queue>
#include <vector>

#include "base/rng.hpp"
#include "kernel_runs.hpp"
#include "kernels/breadth_first.hpp"
#include "kernels/kernel.hpp"
#include "kernels/queens.hpp"
#include "kernels/quicksort.hpp"
#include "kernels/tsp.hpp"
#include "lanes/doall.hpp"
#include "lanes/recorded.hpp"
#include "support/every_schedule.hpp"
#include "support/seeds.hpp"

namespace doall::bench {
namespace {

constexpr std::size_t many_workers = 64;

std::vector<std::int32_t> sorted(std::span<const std::int32_t> values) {
  std::vector<std::int32_t> all(values.begin(), values.end());
  std::ranges::sort(all);
  return all;
}

TEST(Quicksort, Sorts) {
  tests::for_each_case(200, [](base::rng& random) {
    quicksort k(1 + random.below(3000), random.next());
    run(k);
    EXPECT_TRUE(std::ranges::equal(k.values(), sorted(k.input())));
  });
}

// Few different values, so that many are equal to the pivot; lengths around those of blocks.
std::vector<std::int32_t> any_values(base::rng& random) {
  const std::size_t blocks = random.below(4);
  std::vector<std::int32_t> values(1 + blocks * 1024 + random.below(3));
  const std::uint64_t different = 1 + random.below(random.below(2) == 0 ? 5 : 1'000'000);
  for (auto& v : values) v = static_cast<std::int32_t>(random.below(different));
  return values;
}

template <class Step>
void in_any_order(std::size_t count, base::rng& random, Step step) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const std::size_t i : order) step(i);
}

TEST(Quicksort, SharedPartitionIsAStablePartition) {
  tests::for_each_case(300, [](base::rng& random) {
    const std::vector<std::int32_t> before = any_values(random);
    std::vector<std::int32_t> pivot_first = before;
    put_pivot_first(pivot_first);
    const std::int32_t pivot = pivot_first.front();
    const auto others = std::span(pivot_first).subspan(1);
    const auto is_less = [pivot](std::int32_t v) { return v < pivot; };
    std::vector<std::int32_t> expected;
    std::ranges::copy_if(others, std::back_inserter(expected), is_less);
    const std::size_t less = expected.size();
    expected.push_back(pivot);
    std::ranges::copy_if(others, std::back_inserter(expected), std::not_fn(is_less));

    std::vector<std::int32_t> values = before;
    std::vector<std::int32_t> buffer(values.size());
    shared_partition p(values, buffer);
    in_any_order(p.blocks(), random, [&](std::size_t block) { p.count(block); });
    p.place();
    in_any_order(p.blocks(), random, [&](std::size_t block) { p.scatter(block); });
    in_any_order(p.blocks(), random, [&](std::size_t block) { p.restore(block); });
    EXPECT_EQ(p.pivot(), less);
    EXPECT_EQ(values, expected);
  });
}

TEST(Quicksort, PivotIsTheMedianOfThree) {
  std::vector<std::int32_t> three{1, 2, 3};
  do {
    std::vector<std::int32_t> values{three[0], 9, three[1], 9, three[2]};
    put_pivot_first(values);
    EXPECT_EQ(values.front(), 2);
    std::ranges::sort(values);
    EXPECT_EQ(values, (std::vector<std::int32_t>{1, 2, 3, 9, 9}));
  } while (std::ranges::next_permutation(three).found);
}

TEST(Quicksort, SharedPartitionUnderEverySchedule) {
  quicksort k(size::small);
  for (const schedule& how : tests::every_schedule()) {
    k.reset();
    const loop_options options{.how = how};
    run(k, doall_loops{options}, many_workers);
    EXPECT_TRUE(std::ranges::equal(k.values(), sorted(k.input())));
  }
}

TEST(BreadthFirst, FindsLevels) {
  tests::for_each_case(200, [](base::rng& random) {
    const std::size_t vertices = 1 + random.below(300);
    breadth_first k(vertices, random.below(4 * vertices), random.next());
    run(k);
    std::vector<std::uint32_t> levels(vertices, breadth_first::unreached);
    levels[0] = 0;
    for (std::queue<breadth_first::vertex> queue({0}); !queue.empty(); queue.pop()) {
      for (const auto end : k.edges(queue.front())) {
        if (levels[end] != breadth_first::unreached) continue;
        levels[end] = levels[queue.front()] + 1;
        queue.push(end);
      }
    }
    for (breadth_first::vertex v = 0; v < vertices; ++v) EXPECT_EQ(k.level(v), levels[v]) << v;
  });
}

TEST(BreadthFirst, GraphHasItsEdges) {
  const breadth_first k(100, 5'000);
  std::size_t edges = 0;
  std::vector<std::size_t> into(100);
  for (breadth_first::vertex v = 0; v < 100; ++v) {
    edges += k.edges(v).size();
    EXPECT_GT(k.edges(v).size(), 20) << v;
    for (const auto end : k.edges(v)) ++into.at(end);
  }
  EXPECT_EQ(edges, 5'000);
  EXPECT_GT(std::ranges::min(into), 20);
}

std::uint32_t shortest_of_all_permutations(const tsp& k) {
  std::vector<std::size_t> order(k.n());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint32_t shortest = std::numeric_limits<std::uint32_t>::max();
  do {
    std::uint32_t length = k.distance(order.back(), order.front());
    for (std::size_t i = 1; i < k.n(); ++i) length += k.distance(order[i - 1], order[i]);
    shortest = std::min(shortest, length);
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return shortest;
}

TEST(Tsp, FindsTheShortestCycle) {
  tests::for_each_case(50, [](base::rng& random) {
    tsp k(3 + random.below(6), random.next());
    run(k);
    EXPECT_EQ(k.shortest(), shortest_of_all_permutations(k));
  });
}

TEST(Queens, CountsAllSolutions) {
  constexpr std::uint64_t known[] = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680};  // from N = 1
  std::size_t n = 0;
  for (const std::uint64_t solutions : known) {
    queens k(++n);
    run(k);
    EXPECT_EQ(k.solutions(), solutions) << n;
  }
}

TEST(RecursiveKernels, RunAgainGivesTheSame) {
  queens k(6);
  run(k);
  run(k);
  EXPECT_EQ(k.solutions(), 4);
  breadth_first b(50, 300);
  run(b);
  const std::vector<std::byte> once(b.answer().begin(), b.answer().end());
  run(b);
  EXPECT_TRUE(std::ranges::equal(b.answer(), once));
}

TEST(RecursiveKernels, SizesAreThePapers) {
  EXPECT_EQ(quicksort(size::small).whole().size(), 10'000);
  EXPECT_EQ(quicksort(size::paper).whole().size(), 1'000'000);
  EXPECT_EQ(breadth_first(size::small).vertices(), 10'000);
  EXPECT_EQ(breadth_first(size::paper).vertices(), 10'000);
  EXPECT_EQ(tsp(size::small).n(), 9);
  EXPECT_EQ(tsp(size::paper).n(), 11);
  EXPECT_EQ(queens(size::small).n(), 9);
  EXPECT_EQ(queens(size::paper).n(), 11);
}

TEST(RecursiveKernels, CutOffsAreThePapers) {
  EXPECT_TRUE(quicksort::is_serial({1, 100}));
  EXPECT_FALSE(quicksort::is_serial({1, 101}));

  const quicksort sort(6'400);
  EXPECT_TRUE(sort.has_shared_partition({100, 400}, many_workers));  // 3 N / 64
  EXPECT_FALSE(sort.has_shared_partition({100, 399}, many_workers));
  EXPECT_TRUE(sort.has_shared_partition(sort.whole(), 3));
  EXPECT_FALSE(sort.has_shared_partition(sort.whole(), 2));

  queens::board five;
  for (int i = 0; i < 5; ++i) five.add(0);
  EXPECT_FALSE(queens(11).is_serial(five));
  five.add(0);
  EXPECT_TRUE(queens(11).is_serial(five));

  EXPECT_FALSE(tsp(11).is_serial({.visited = 0x3f, .last = 5, .steps = 5, .length = 0}));
  EXPECT_TRUE(tsp(11).is_serial({.visited = 0x7f, .last = 6, .steps = 6, .length = 0}));
}

// Counts what a tree has, and that it is one.
struct tree_facts {
  struct loop {
    std::size_t count;
    std::size_t begun = 0;
    bool even;
  };
  std::vector<loop> open;
  std::size_t deepest = 0;
  std::size_t loops = 0;
  std::size_t even_loops = 0;
  std::size_t even_iterations = 0;
  std::uint64_t cycles = 0;

  void begin(const loop& l) {
    EXPECT_TRUE(open.empty() || !open.back().even);
    open.push_back(l);
    deepest = std::max(deepest, open.size());
  }
  void begin_loop(std::size_t count) {
    ++loops;
    begin({.count = count, .even = false});
  }
  void begin_even_loop(std::size_t count) {
    ++even_loops;
    even_iterations += count;
    begin({.count = count, .even = true});
  }
  void begin_iteration() { ++open.back().begun; }
  void work(std::uint64_t more) { cycles += more; }
  void end_loop() {
    EXPECT_EQ(open.back().begun, open.back().even ? 0 : open.back().count);
    open.pop_back();
  }
};

template <class Kernel, class... Workers>
tree_facts recorded(Kernel& k, Workers... workers) {
  tree_facts facts;
  k.reset();
  run(k, recorded_loops(facts), workers...);
  EXPECT_TRUE(facts.open.empty());
  return facts;
}

TEST(Recorded, Queens) {
  queens k(5);
  const tree_facts facts = recorded(k);
  EXPECT_EQ(k.solutions(), 10);
  EXPECT_EQ(facts.loops, 1 + 5 + 12);  // the boards of 0, 1 and 2 queens
  EXPECT_EQ(facts.deepest, 3);
  // All columns are tried in five rows, whoever does it: of 1, 5, 12, 14 and 12 boards.
  EXPECT_EQ(facts.cycles, 5 * (1 * 10 + 5 * 15 + 12 * 20 + 14 * 25 + 12 * 30));
}

TEST(Recorded, Tsp) {
  tsp k(5);
  const tree_facts facts = recorded(k);
  EXPECT_EQ(facts.loops, 1 + 4 + 4 * 3);
  EXPECT_EQ(facts.deepest, 3);
  constexpr std::uint64_t closed = 15 + 5 * 4 + 15;  // of three steps: one more, and its cycle
  EXPECT_EQ(facts.cycles, (1 + 4 + 12) * 5 * 4 + 24 * closed);
}

TEST(Recorded, BreadthFirst) {
  breadth_first k(200, 3'000);
  const tree_facts facts = recorded(k);
  std::size_t reached = 0;
  std::size_t edges = 0;
  std::uint32_t deepest = 0;
  for (breadth_first::vertex v = 0; v < k.vertices(); ++v) {
    if (k.level(v) == breadth_first::unreached) continue;
    ++reached;
    edges += k.edges(v).size();
    deepest = std::max(deepest, k.level(v));
  }
  EXPECT_EQ(facts.loops, deepest + 1);
  EXPECT_EQ(facts.even_loops, reached);
  EXPECT_EQ(facts.even_iterations, edges);
  EXPECT_EQ(facts.cycles, edges * breadth_first::edge_cycles);
}

TEST(Recorded, QuicksortSharesTheFirstPartitionsOfManyWorkers) {
  quicksort k(size::small);
  const tree_facts alone = recorded(k, std::size_t{1});
  EXPECT_TRUE(std::ranges::equal(k.values(), sorted(k.input())));
  const tree_facts together = recorded(k, many_workers);
  EXPECT_TRUE(std::ranges::equal(k.values(), sorted(k.input())));
  EXPECT_GT(alone.loops, 100);
  EXPECT_GT(together.loops, alone.loops + 3 * 10);
  EXPECT_EQ(alone.even_loops + together.even_loops, 0);
}

}  // namespace
}  // namespace doall::bench
