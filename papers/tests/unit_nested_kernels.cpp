// LBS's nests of loops compute what their names say, by their serial runs; in any order and
// any cut of their loops the same; and so through the native door, under every schedule.
#include <doall/doall.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "base/arith.hpp"
#include "base/rng.hpp"
#include "kernel_runs.hpp"
#include "kernels/breadth_first.hpp"
#include "kernels/convolution.hpp"
#include "kernels/floyd_warshall.hpp"
#include "kernels/matmult.hpp"
#include "kernels/programs.hpp"
#include "kernels/spmv.hpp"
#include "lanes/doall.hpp"
#include "lanes/recorded.hpp"
#include "support/every_schedule.hpp"
#include "support/seeds.hpp"

namespace doall::bench {
namespace {

std::size_t one_to(std::size_t most, base::rng& random) { return 1 + random.below(most); }

matmult random_matmult(base::rng& random) { return matmult(one_to(24, random), random.next()); }

convolution random_convolution(base::rng& random) {
  const std::size_t image = one_to(24, random);
  const std::size_t filter = one_to(9, random);
  return {image, filter, random.next()};
}

floyd_warshall random_floyd_warshall(base::rng& random) {
  return floyd_warshall(one_to(40, random), random.next());
}

spmv random_spmv(base::rng& random) {
  const std::size_t rows = one_to(40, random);
  const std::size_t columns = one_to(200, random);
  return spmv({rows, columns, one_to(rows * columns, random)}, random.next());
}

TEST(NestedKernels, MatmultIsTheSumOfOuterProducts) {
  tests::for_each_case(100, [](base::rng& random) {
    matmult k = random_matmult(random);
    run(k);
    const std::size_t n = k.n();
    std::vector<std::int64_t> sums(n * n);
    for (std::size_t via = 0; via < n; ++via) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) sums[i * n + j] += k.a(i, via) * k.b(via, j);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(k.c(i, j), sums[i * n + j]) << i << ' ' << j;
    }
  });
}

// The other way round: every pixel adds to the sums that it is in.
TEST(NestedKernels, ConvolutionScattersPixels) {
  tests::for_each_case(100, [](base::rng& random) {
    convolution k = random_convolution(random);
    run(k);
    const std::size_t n = k.n();
    const std::size_t m = k.filter_side();
    std::vector<std::int64_t> sums((n + m) * (n + m));  // out(i,j) at (i + m/2, j + m/2)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t u = 0; u < m; ++u) {
          for (std::size_t v = 0; v < m; ++v) {
            sums[(i + u) * (n + m) + j + v] += k.pixel(i, j) * k.weight(u, v);
          }
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        ASSERT_EQ(k.out(i, j), sums[(i + m / 2) * (n + m) + j + m / 2]) << i << ' ' << j;
      }
    }
  });
}

// By Dijkstra's algorithm.
std::vector<std::int32_t> distances_from(const floyd_warshall& k, std::size_t from) {
  std::vector<std::int32_t> distances(k.nodes(), floyd_warshall::unreached);
  using reached = std::pair<std::int32_t, std::size_t>;
  std::priority_queue<reached, std::vector<reached>, std::greater<>> queue;
  queue.emplace(0, from);
  while (!queue.empty()) {
    const auto [distance, node] = queue.top();
    queue.pop();
    if (distance >= distances[node]) continue;
    distances[node] = distance;
    for (std::size_t to = 0; to < k.nodes(); ++to) {
      if (k.edge(node, to) == floyd_warshall::unreached) continue;
      queue.emplace(distance + k.edge(node, to), to);
    }
  }
  return distances;
}

void expect_shortest_paths(floyd_warshall& k) {
  run(k);
  for (std::size_t from = 0; from < k.nodes(); ++from) {
    const auto distances = distances_from(k, from);
    for (std::size_t to = 0; to < k.nodes(); ++to) {
      ASSERT_EQ(k.distance(from, to), distances[to]) << from << ' ' << to;
    }
  }
}

TEST(NestedKernels, FloydWarshallFindsShortestPaths) {
  floyd_warshall of_paper(size::small);
  expect_shortest_paths(of_paper);
  tests::for_each_case(100, [](base::rng& random) {
    floyd_warshall k = random_floyd_warshall(random);
    expect_shortest_paths(k);
  });
}

TEST(NestedKernels, SpmvIsTheDenseProduct) {
  tests::for_each_case(100, [](base::rng& random) {
    spmv k = random_spmv(random);
    run(k);
    for (std::size_t row = 0; row < k.rows(); ++row) {
      std::vector<std::int64_t> dense(k.x().size());
      for (const auto& a : k.row(row)) dense[a.column] = a.value;
      EXPECT_EQ(k.y()[row], std::inner_product(dense.begin(), dense.end(), k.x().begin(), 0L));
    }
  });
}

// Of the size that is asked for, and no column twice in a row.
TEST(NestedKernels, SpmvHasItsShape) {
  tests::for_each_case(100, [](base::rng& random) {
    const std::size_t rows = one_to(40, random);
    const std::size_t columns = one_to(200, random);
    const std::size_t nonzeros = one_to(rows * columns, random);
    const spmv k({rows, columns, nonzeros}, random.next());
    ASSERT_EQ(k.rows(), rows);
    ASSERT_EQ(k.x().size(), columns);
    ASSERT_EQ(k.offsets().size(), rows + 1);
    EXPECT_EQ(k.offsets().back(), nonzeros);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto of_row = k.row(row);
      EXPECT_TRUE(std::ranges::is_sorted(of_row, std::less_equal(), &spmv::nonzero::column)) << row;
      EXPECT_TRUE(of_row.empty() || of_row.back().column < columns) << row;
    }
  });
}

std::size_t longest_row(const spmv& k) {
  std::size_t longest = 0;
  for (std::size_t row = 0; row < k.rows(); ++row) {
    longest = std::max(longest, k.row_length(row));
  }
  return longest;
}

TEST(NestedKernels, SizesAreThePapers) {
  EXPECT_EQ(matmult(size::small).n(), 64);
  EXPECT_EQ(matmult(size::paper).n(), 512);
  EXPECT_EQ(convolution(size::small).n(), 64);
  EXPECT_EQ(convolution(size::small).filter_side(), 16);
  EXPECT_EQ(convolution(size::paper).n(), 1024);
  EXPECT_EQ(convolution(size::paper).filter_side(), 16);
  EXPECT_EQ(floyd_warshall(size::small).nodes(), 64);
  EXPECT_EQ(floyd_warshall(size::paper).nodes(), 512);
  const spmv training(size::small);
  EXPECT_EQ(training.rows(), 30'000);
  EXPECT_EQ(training.x().size(), 100);
  EXPECT_EQ(training.offsets().back(), 60'000);
  EXPECT_GT(longest_row(training), 40);
  const spmv execution(size::paper);
  EXPECT_EQ(execution.rows(), 80'000);
  EXPECT_EQ(execution.x().size(), 5'000);
  EXPECT_EQ(execution.offsets().back(), 40'000'000);
  EXPECT_GT(longest_row(execution), 2'500);
}

// Loops in parts of random lengths, in random order: what any runtime may do.
struct shuffled_loops {
  base::rng& random;

  template <class Body>
  void outer(std::size_t count, const Body& body) const {
    std::vector<std::size_t> cuts{0, count};
    for (std::size_t more = random.below(5); more > 0; --more) {
      cuts.push_back(random.below(count + 1));
    }
    std::ranges::sort(cuts);
    std::vector<std::size_t> order(cuts.size() - 1);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (const std::size_t part : order) run_part(body, cuts[part], cuts[part + 1]);
  }
  template <class Body>
  void inner(std::size_t count, const Body& body) const {
    outer(count, body);
  }
  template <class Body>
  auto inner_sum(std::size_t count, const Body& body) const {
    decltype(body(0, count)) sum{};
    outer(count, [&](std::size_t first, std::size_t last) { sum += body(first, last); });
    return sum;
  }
};

template <class Kernel>
void expect_same_bits_in_any_order(Kernel k, base::rng& random) {
  expect_serial_bits(k, [&] { run(k, shuffled_loops{random}); });
}

TEST(NestedKernels, OrderDoesNotMatter) {
  tests::for_each_case(100, [](base::rng& random) {
    expect_same_bits_in_any_order(random_matmult(random), random);
    expect_same_bits_in_any_order(random_convolution(random), random);
    expect_same_bits_in_any_order(random_floyd_warshall(random), random);
    expect_same_bits_in_any_order(random_spmv(random), random);
  });
}

// A tree of loops, added up.
struct tree_sums {
  std::size_t loops = 0;
  std::size_t iterations = 0;
  std::uint64_t cycles = 0;

  bool operator==(const tree_sums&) const = default;

  void begin_loop(std::size_t count) {
    ++loops;
    iterations += count;
  }
  void begin_even_loop(std::size_t count) { begin_loop(count); }
  void begin_iteration() {}
  void work(std::uint64_t of_it) { cycles += of_it; }
  void end_loop() {}
};

template <class Kernel>
tree_sums recorded(Kernel& k) {
  tree_sums sums;
  k.reset();
  run(k, recorded_loops(sums));
  return sums;
}

TEST(NestedKernels, RecordedTreesAreThePrograms) {
  matmult product(5);
  EXPECT_EQ(recorded(product), (tree_sums{1 + 5, 5 + 25, 2 * 125}));
  convolution filtered(5, 3);
  EXPECT_EQ(recorded(filtered), (tree_sums{1 + 5, 5 + 25, 2 * 25 * 9}));
  floyd_warshall paths(5);
  EXPECT_EQ(recorded(paths), (tree_sums{5 * (1 + 5), 5 * (5 + 25), 11 * 125}));
  spmv sparse({5, 10, 17});
  EXPECT_EQ(recorded(sparse), (tree_sums{1 + 5, 5 + 17, 13 * 17}));
}

// LBS's Table 2, last column: as many iterations as take 1,000 cycles.
TEST(NestedKernels, InnerIterationsCostWhatThePapersThresholdsSay) {
  constexpr std::uint64_t profitable_cycles = 1000;
  EXPECT_EQ(base::ceil_div(profitable_cycles, floyd_warshall::pair_cycles), 91);
  EXPECT_EQ(base::ceil_div(profitable_cycles, breadth_first::edge_cycles), 53);
  EXPECT_EQ(base::ceil_div(profitable_cycles, spmv::nonzero_cycles), 77);
}

// What an OpenMP lane's taskloop deals covers a range once.
TEST(NestedKernels, StripsAreTheLoop) {
  const auto of_range = [](std::size_t, std::size_t) {};
  const auto of_index = [](std::size_t) {};
  for (const std::size_t count : {0, 1, 63, 64, 65, 1000}) {
    const strips<decltype(of_range)> ranges(count);
    std::size_t next = 0;
    for (std::size_t s = 0; s < ranges.number(); ++s) {
      EXPECT_EQ(ranges.begin(s), next);
      EXPECT_GT(ranges.end(s), next);
      next = ranges.end(s);
    }
    EXPECT_EQ(next, count);
    EXPECT_EQ(strips<decltype(of_index)>(count).number(), count);
  }
}

auto native_door(const loop_options& options) {
  return [&options](auto& k) { run(k, doall_loops{options}); };
}

// Of programs behind the door that takes these options.
void expect_every_schedule(const std::vector<program>& programs, const program& warm_up,
                           loop_options& options) {
  expect_serial_answers(programs, &warm_up, tests::every_schedule_text(),
                        [&](const std::string& text) { options.how = schedule(text); });
}

TEST(NestedKernels, EveryScheduleGivesTheSerialAnswer) {
  loop_options options;
  const auto door = native_door(options);
  expect_every_schedule(nested_programs(door), nested_warm_up(door), options);
}

TEST(NestedKernels, SpmvAddsUpInAnyOrder) {
  loop_options options{.order = reduce_order::any};
  const auto door = native_door(options);
  const program p = make_program<spmv>("spmv", "little", "no", door);
  expect_every_schedule({p}, nested_warm_up(door), options);
}

}  // namespace
}  // namespace doall::bench
