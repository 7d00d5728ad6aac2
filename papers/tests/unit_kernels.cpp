// The kernels compute what their names say, by their serial runs; that every
// runtime computes the same is `doall bench afs`'s to check.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernel_runs.hpp"
#include "kernels/compute.hpp"
#include "kernels/programs.hpp"

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

}  // namespace
}  // namespace doall::bench
