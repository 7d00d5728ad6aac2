// The kernels, the reductions and the graph mix compute what their names say, by their serial runs
// and by the loops that all runtimes share. That every runtime computes the same is for `doall
// bench afs` and `programs` to check.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <vector>

#include "base/rng.hpp"
#include "kernel_runs.hpp"
#include "kernels/compute.hpp"
#include "kernels/programs.hpp"
#include "support/seeds.hpp"

namespace doall::bench {
namespace {

TEST(Kernels, GaussLeavesATriangle) {
  gauss k(size::small);
  k.reset();
  std::vector<std::vector<double>> input;
  for (int i = 0; i < k.n(); ++i) {
    input.emplace_back();
    for (int j = 0; j <= k.n(); ++j) input.back().push_back(k.at(i, j));
  }
  run(k);
  std::vector<double> x(input.size());
  for (int i = k.n() - 1; i >= 0; --i) {
    double rest = k.at(i, k.n());
    for (int j = i + 1; j < k.n(); ++j) rest -= k.at(i, j) * x[static_cast<std::size_t>(j)];
    x[static_cast<std::size_t>(i)] = rest / k.at(i, i);
    for (int j = 0; j < i; ++j) EXPECT_NEAR(k.at(i, j), 0, 1e-12) << i << ' ' << j;
  }
  for (const auto& row : input) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += row[j] * x[j];
    EXPECT_NEAR(sum, row.back(), 1e-9);
  }
}

// The largest difference between a point and the mean of its neighbours.
double residual(const sor& k) {
  double worst = 0;
  for (int j = 1; j <= k.n(); ++j) {
    for (int i = 1; i <= k.n(); ++i) {
      const double mean = (k.at(j - 1, i) + k.at(j + 1, i) + k.at(j, i - 1) + k.at(j, i + 1)) / 4;
      worst = std::max(worst, std::abs(mean - k.at(j, i)));
    }
  }
  return worst;
}

TEST(Kernels, SorComesNearerToTheSolution) {
  sor k(size::small);
  k.reset();
  const double before = residual(k);
  for (int i = 0; i < 100; ++i) run_serial(k);
  EXPECT_LT(residual(k), before * 1e-4);
}

void visit(const transitive_closure& k, int from, std::vector<bool>& seen) {
  for (int to = 0; to < k.n(); ++to) {
    if (!k.has_edge(from, to) || seen[static_cast<std::size_t>(to)]) continue;
    seen[static_cast<std::size_t>(to)] = true;
    visit(k, to, seen);
  }
}

TEST(Kernels, ClosureIsWhatCanBeReached) {
  for (const graph g : {graph::random, graph::skewed}) {
    transitive_closure k(size::small, g);
    run(k);
    for (int from = 0; from < k.n(); ++from) {
      std::vector<bool> seen(static_cast<std::size_t>(k.n()));
      visit(k, from, seen);
      for (int to = 0; to < k.n(); ++to) {
        ASSERT_EQ(k.reaches(from, to), seen[static_cast<std::size_t>(to)]) << from << ' ' << to;
      }
    }
  }
}

TEST(Kernels, GraphsAreThePapers) {
  const auto edges = [](const transitive_closure& k) {
    int count = 0;
    for (int from = 0; from < k.n(); ++from) {
      for (int to = 0; to < k.n(); ++to) count += k.has_edge(from, to) ? 1 : 0;
    }
    return count;
  };
  const transitive_closure random(size::paper, graph::random);
  EXPECT_EQ(random.n(), 512);
  EXPECT_NEAR(edges(random), 0.08 * 512 * 512, 500);
  const transitive_closure skewed(size::paper, graph::skewed);
  EXPECT_EQ(skewed.n(), 640);
  EXPECT_EQ(edges(skewed), 320 * 320);
}

TEST(Kernels, ConvolutionIsTheSum) {
  adjoint_convolution k(size::small, direction::forward);
  run(k);
  for (const int i : {0, 7, k.iterations() - 1}) {
    double sum = 0;
    for (int at = i; at < k.iterations(); ++at) sum += k.x * k.b(at) * k.c(at - i);
    EXPECT_DOUBLE_EQ(k.a(i), sum) << i;
  }
}

TEST(Kernels, CostsAreThePapers) {
  const triangular t(size::paper);
  EXPECT_EQ(t.iterations(), 5000);
  EXPECT_EQ(t.cost(0), 4999);
  EXPECT_EQ(t.cost(4999), 0);
  const parabolic p(size::paper);
  EXPECT_EQ(p.iterations(), 200);
  EXPECT_EQ(p.cost(0), 199 * 199);
  EXPECT_EQ(p.cost(199), 0);
  const head_heavy h(size::paper);
  EXPECT_EQ(h.iterations(), 50'000);
  EXPECT_EQ(h.cost(4998), 100);
  EXPECT_EQ(h.cost(4999), 1);
  EXPECT_EQ(adjoint_convolution(size::paper, direction::forward).iterations(), 75 * 75);
}

TEST(Kernels, AUnitIsAStep) {
  EXPECT_EQ(compute(0, 5), 5);
  EXPECT_EQ(compute(3, 5), compute(1, compute(1, compute(1, 5))));
  EXPECT_NE(compute(1, 5), 5);
}

harness tested(const program& p) {
  return {p, size::small, warm_up_program([](auto& k) { run_serial(k); })};
}

// A door that goes wrong in the way asked for.
enum class fault { none, twice, never };

program faulty(fault f) {
  return make_program<triangular>("triangular", "", "", [f](triangular& k) {
    for (int i = 0; i < k.iterations(); ++i) {
      if (i != 3 || f != fault::never) k.run(i);
      if (i == 3 && f == fault::twice) k.run(i);
    }
  });
}

TEST(Harness, RefusesAWrongAnswer) {
  EXPECT_NO_THROW(tested(faulty(fault::none)).check(way::parallel));
  for (const fault f : {fault::twice, fault::never}) {
    harness h = tested(faulty(f));
    EXPECT_THROW(h.check(way::parallel), wrong_answer);
    EXPECT_THROW(h.time(way::parallel), wrong_answer);
    EXPECT_NO_THROW(h.check(way::serial));
  }
}

// Running a row of the closure twice changes no answer: the count of runs tells.
TEST(Harness, RefusesIterationsThatRanTwice) {
  const auto twice = make_program<transitive_closure>(
      "closure", "", "",
      [](transitive_closure& k) {
        run_serial(k);
        k.extend(0, 1);
      },
      graph::skewed);
  EXPECT_THROW(tested(twice).check(way::parallel), wrong_answer);
}

TEST(Harness, SerialIterationsStay) {
  for (const program& p : programs([](auto& k) { run_serial(k); })) {
    EXPECT_DOUBLE_EQ(tested(p).check(way::parallel), 1) << p.name;
  }
}

TEST(LinearRegression, FindsTheLine) {
  linear_regression k(size::small, 10'000'000);
  run(k);
  five_sums sums;
  for (const auto p : k.points()) {
    sums +=
        {p.x, p.y, std::uint64_t{p.x} * p.x, std::uint64_t{p.y} * p.y, std::uint64_t{p.x} * p.y};
  }
  EXPECT_EQ(k.sums(), sums);
  EXPECT_EQ(k.points().size(), 50'000);
  // What the points were made around.
  EXPECT_NEAR(k.fitted().slope, 0.5, 0.01);
  EXPECT_NEAR(k.fitted().intercept, 63.25, 1);
}

TEST(Histogram, CountsEveryPixel) {
  histogram k(size::small, 10'000'000);
  run(k);
  histogram_counts counts{};
  for (const auto& p : k.pixels()) {
    ++counts[p[0]];
    ++counts[256 + p[1]];
    ++counts[512 + p[2]];
  }
  EXPECT_EQ(k.counts(), counts);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.begin() + 256, std::size_t{0}), 33'333);
}

// Runs loops of the mix serially, from the last iteration to the first, and tells how many.
struct backward_loops {
  template <class Body>
  void each_uneven(std::size_t count, const Body& body, const std::source_location& where) const {
    each(count, body, where);
  }
  template <class Body>
  void each(std::size_t count, const Body& body, const std::source_location&) const {
    while (count-- > 0) body(count);
  }
  template <class Body>
  std::uint64_t sum(std::size_t count, const Body& body, const std::source_location&) const {
    std::uint64_t sum = 0;
    while (count-- > 0) sum += body(count);
    return sum;
  }
};

shared_graph random_graph(base::rng& random) {
  return std::make_shared<undirected_graph>(any_graph(random));
}

TEST(Graph, IsUndirectedAndSimple) {
  const undirected_graph g(5, {{0, 1}, {1, 0}, {0, 1}, {2, 2}, {3, 1}});
  EXPECT_EQ(g.vertices(), 5);
  EXPECT_EQ(g.directed_edges(), 4);
  EXPECT_EQ(g.hub(), 1);
  const auto row = g.neighbours(1);
  EXPECT_EQ(std::vector<vertex>(row.begin(), row.end()), (std::vector<vertex>{0, 3}));
  EXPECT_EQ(g.degree(2), 0);
  EXPECT_EQ(g.degree(4), 0);
}

TEST(Packing, KeepsVerticesInTheirOrder) {
  tests::for_each_case(200, [](base::rng& random) {
    std::vector<vertex> values(random.below(5000));
    std::vector<vertex> expected;
    for (vertex& v : values) {
      v = random.below(3) == 0 ? static_cast<vertex>(random.below(1000)) : no_vertex;
      if (v != no_vertex) expected.push_back(v);
    }
    times_of_loops times;
    const backward_loops runtime;
    const timed_loops loops(runtime, times);
    std::vector<vertex> out(values.size());
    out.resize(pack(loops, std::span<const vertex>(values), out.data()));
    EXPECT_EQ(out, expected);
    EXPECT_EQ(times.fine.loops(), 2);

    std::vector<std::uint32_t> sums = values;
    for (std::uint32_t& s : sums) s %= 10;
    std::vector<std::uint32_t> before(sums.size());
    std::exclusive_scan(sums.begin(), sums.end(), before.begin(), 0U);
    const std::uint32_t all = std::accumulate(sums.begin(), sums.end(), 0U);
    EXPECT_EQ(scan(loops, sums), all);
    EXPECT_EQ(sums, before);
  });
}

// The parallel steps' answer has the serial algorithm's bits.
template <class Kernel>
void expect_same_bits(const shared_graph& g) {
  Kernel k(g);
  expect_serial_bits(k, [&k] { run_timed(k, backward_loops{}); });
  EXPECT_GT(k.times()->fine.loops(), 0);
}

TEST(GraphMix, StepsDoWhatSerialAlgorithmsDo) {
  tests::for_each_case(300, [](base::rng& random) {
    const shared_graph g = random_graph(random);
    expect_same_bits<bfs>(g);
    expect_same_bits<betweenness>(g);
    expect_same_bits<components>(g);
    expect_same_bits<pagerank>(g);
  });
}

// All vertices' distances and numbers of shortest paths from one.
struct distances {
  distances(const undirected_graph& g, vertex from)
      : level(g.vertices(), search::unreached), paths(g.vertices()) {
    level[from] = 0;
    paths[from] = 1;
    for (std::deque<vertex> queue{from}; !queue.empty(); queue.pop_front()) {
      const vertex v = queue.front();
      for (const vertex u : g.neighbours(v)) {
        if (level[u] == search::unreached) {
          level[u] = level[v] + 1;
          queue.push_back(u);
        }
        if (level[u] == level[v] + 1) paths[u] += paths[v];
      }
    }
  }
  std::vector<std::uint32_t> level;
  std::vector<double> paths;
};

// By their definitions: for every end t, the part of the paths from the hub to t that go
// through v; of components, who can be reached.
TEST(GraphMix, SerialAlgorithmsDoWhatTheirNamesSay) {
  tests::for_each_case(30, [](base::rng& random) {
    const shared_graph g = random_graph(random);
    bfs levels(g);
    betweenness scores(g);
    components labels(g);
    run(levels);
    run(scores);
    run(labels);
    std::vector<distances> from;
    for (vertex v = 0; v < g->vertices(); ++v) from.emplace_back(*g, v);
    const distances& hub = from[g->hub()];
    for (vertex v = 0; v < g->vertices(); ++v) {
      EXPECT_EQ(levels.level(v), hub.level[v]) << v;
      double score = 0;
      vertex least = v;
      for (vertex t = 0; t < g->vertices(); ++t) {
        if (from[v].level[t] == search::unreached) continue;
        least = std::min(least, t);
        const bool between = t != v && hub.level[t] != search::unreached &&
                             hub.level[v] + from[v].level[t] == hub.level[t];
        if (between) score += hub.paths[v] * from[v].paths[t] / hub.paths[t];
      }
      EXPECT_NEAR(scores.score(v), score, 1e-9 * (1 + score)) << v;
      EXPECT_EQ(labels.label(v), least) << v;
    }
  });
}

TEST(GraphMix, RanksAreAPart) {
  tests::for_each_case(100, [](base::rng& random) {
    const shared_graph g = random_graph(random);
    pagerank k(g);
    run(k);
    double sum = 0;
    for (vertex v = 0; v < g->vertices(); ++v) {
      EXPECT_GT(k.rank(v), 0.15 / static_cast<double>(g->vertices())) << v;
      sum += k.rank(v);
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  });
}

// A star: what the hub passes on comes back to it.
TEST(GraphMix, PageRankOfAStar) {
  pagerank k(
      std::make_shared<undirected_graph>(3, std::vector<undirected_graph::edge>{{0, 1}, {0, 2}}));
  run(k);
  // r0 = 0.05 + 0.85 (1 - r0), the others share the rest.
  EXPECT_NEAR(k.rank(0), 0.9 / 1.85, 0.05);
  EXPECT_EQ(k.rank(1), k.rank(2));
}

}  // namespace
}  // namespace doall::bench
