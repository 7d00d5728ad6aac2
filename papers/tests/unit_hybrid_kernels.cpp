// NAS's kernels pass NAS's own verification, and hybrid's microbenchmarks walk through each of
// their elements once a phase; both serially, and natively under every schedule with the same
// answers. That OpenMP and oneTBB compute the same is for the measurement's check, and for
// unit_tbb.
#include <doall/doall.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "kernel_runs.hpp"
#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"
#include "kernels/programs.hpp"
#include "kernels/strided.hpp"
#include "lanes/doall.hpp"
#include "support/every_schedule.hpp"
#include "support/seeds.hpp"

namespace doall::bench {
namespace {

TEST(NasRandom, SkipsAsManyAsItSays) {
  tests::for_each_case(200, [](base::rng& random) {
    const std::uint64_t seed = random.next() | 1;
    const std::uint64_t first = random.below(1000);
    const std::uint64_t second = random.below(1000);
    nas_random one_by_one(seed);
    std::vector<double> numbers(first + second + 1);
    one_by_one.fill(numbers);
    nas_random at_once(seed);
    at_once.skip(first);
    at_once.skip(second);
    EXPECT_EQ(at_once.next(), numbers.back());
    EXPECT_GT(numbers.back(), 0);
    EXPECT_LT(numbers.back(), 1);
  });
}

// 5^13 times the seed, modulo 2^46; and the sequence's length.
TEST(NasRandom, IsTheReports) {
  nas_random random(nas_random::usual_seed);
  EXPECT_EQ(random.next() * 0x1p46, 55'909'509'111'989);
  const std::uint64_t x = random.state();
  random.skip(std::uint64_t{1} << 43);
  EXPECT_NE(random.state(), x);
  random.skip(std::uint64_t{1} << 43);
  EXPECT_EQ(random.state(), x);
}

TEST(NasVerification, IsRelativeAndRefusesNonsense) {
  EXPECT_TRUE(agrees(-200.000001, -200, 1e-8));
  EXPECT_FALSE(agrees(-200.00001, -200, 1e-8));
  EXPECT_FALSE(agrees(std::nan(""), -200, 1e-8));
}

template <class Kernel>
void expect_verified(nas_class c) {
  Kernel k(size::paper, c);
  EXPECT_FALSE(k.verified());
  run(k);
  EXPECT_TRUE(k.verified());
  k.reset();
  EXPECT_FALSE(k.verified());
}

TEST(NasEp, IsVerified) { expect_verified<nas_ep>(nas_class::w); }

// The counts are what NPB prints of class S. A block too many is noticed.
TEST(NasEp, CountsTheRings) {
  nas_ep k(size::small, nas_class::a);
  run(k);
  EXPECT_TRUE(k.verified());
  ep_sums sums{.x = -3.247834652034740e3, .y = -6.958407078382297e3};
  std::ranges::copy(k.counts(), sums.counts.begin());
  EXPECT_EQ(sums.counts, (std::array<std::uint64_t, ep_sums::rings>{
                             6'140'517, 5'865'300, 1'100'361, 68'546, 1'648, 17, 0, 0, 0, 0}));
  k.take(sums);
  EXPECT_TRUE(k.verified());
  k.take(sums + k.sum_block(0));
  EXPECT_FALSE(k.verified());
  ++sums.counts[0];
  k.take(sums);
  EXPECT_FALSE(k.verified());
}

TEST(NasIs, IsVerified) {
  expect_verified<nas_is>(nas_class::s);
  expect_verified<nas_is>(nas_class::w);
  expect_verified<nas_is>(nas_class::a);
}

TEST(NasIs, NoticesRanksOfOtherKeys) {
  nas_is k(size::small, nas_class::s);
  run(k);
  k.verify_some(nas_is::iterations - 1);  // no key has kept its rank, so none passes
  EXPECT_TRUE(k.verified());
  k.begin(2 * nas_is::iterations + 1);  // two keys that nobody ranks any more
  EXPECT_FALSE(k.verified());
}

TEST(NasCg, IsVerified) {
  expect_verified<nas_cg>(nas_class::s);
  expect_verified<nas_cg>(nas_class::w);
  expect_verified<nas_cg>(nas_class::a);
}

TEST(NasCg, SolvesItsSystems) {
  nas_cg k(size::small, nas_class::s);
  run(k);
  EXPECT_LT(k.residual(), 1e-13);
  EXPECT_NEAR(k.zeta(), 8.5971775078648, 1e-12);
}

// Class A takes seconds.
TEST(NasMg, IsVerified) {
  expect_verified<nas_mg>(nas_class::s);
  expect_verified<nas_mg>(nas_class::w);
}

TEST(NasFt, IsVerified) {
  expect_verified<nas_ft>(nas_class::s);
  expect_verified<nas_ft>(nas_class::w);
}

// x A y = y A x, of vectors that tell rows apart.
TEST(NasCg, MatrixIsSymmetric) {
  const sparse_matrix a(200, 5, 10);
  tests::for_each_case(20, [&](base::rng& random) {
    std::vector<double> x(a.rows());
    std::vector<double> y(a.rows());
    double xay = 0;
    double yax = 0;
    for (double& element : x) element = static_cast<double>(random.below(1000)) / 1000;
    for (double& element : y) element = static_cast<double>(random.below(1000)) / 1000;
    for (std::size_t row = 0; row < a.rows(); ++row) {
      xay += x[row] * a.product(row, y.data());
      yax += y[row] * a.product(row, x.data());
    }
    EXPECT_NEAR(xay, yax, 1e-9);
  });
}

// What the walks add up to, without strides: elements begin as 0, 1, 2, ... and a phase
// makes 5 e + 1 of an element e.
std::uint64_t sum_of_walks(std::size_t length, int phases) {
  std::vector<std::uint64_t> elements(length);
  std::iota(elements.begin(), elements.end(), 0);
  std::uint64_t sum = 0;
  for (int phase = 0; phase < phases; ++phase) {
    sum = std::accumulate(elements.begin(), elements.end(), 31 * sum);
    for (std::uint64_t& e : elements) e = 5 * e + 1;
  }
  return sum;
}

TEST(Strided, WalksThroughEachElementOnceAPhase) {
  for (const balance b : {balance::balanced, balance::unbalanced}) {
    strided k(size::small, b, working_set::half_of_cache);
    run(k);
    for (std::size_t i = 0; i < k.iterations(); ++i) {
      ASSERT_NE(k.length(i) % 13, 0) << i;
      EXPECT_EQ(k.sum(i), sum_of_walks(k.length(i), k.phases())) << i;
    }
  }
}

// What the header claims of `static`, at P = 4: its last worker has 7/16 of all.
TEST(Strided, UnbalancedMakesTheLastBlockLong) {
  const strided k(size::paper, balance::unbalanced, working_set::half_of_cache);
  std::size_t all = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < k.iterations(); ++i) {
    all += k.length(i);
    if (i >= k.iterations() / 4 * 3) last += k.length(i);
  }
  EXPECT_NEAR(static_cast<double>(last) / static_cast<double>(all), 7.0 / 16, 0.01);
}

TEST(Strided, WorkingSetsAreOfTheMachinesCaches) {
  const std::size_t half = bytes_of(working_set::half_of_cache);
  EXPECT_LE(half, last_level_cache_bytes() / 2);
  EXPECT_GE(half, 100'000);
  EXPECT_GE(bytes_of(working_set::all_of_cache), half);
  EXPECT_GE(bytes_of(working_set::beyond_cache), bytes_of(working_set::all_of_cache));
  const auto wanted = static_cast<double>(half);
  for (const balance b : {balance::balanced, balance::unbalanced}) {
    const strided k(size::paper, b, working_set::half_of_cache);
    EXPECT_NEAR(static_cast<double>(k.bytes()), wanted, 0.05 * wanted);
  }
}

TEST(Chunk, IsThePapers) {
  EXPECT_EQ(chunk_of(4096, 2), 256);
  EXPECT_EQ(chunk_of(1'000'000, 32), 2048);
  EXPECT_EQ(chunk_of(100, 32), 1);
}

TEST(HybridPrograms, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  const auto all = hybrid_programs([](auto&) {});
  for (const program& p : all) EXPECT_TRUE(names.insert(p.name).second) << p.name;
}

// The native door, on the schedule of now.
struct door {
  const loop_options& options;
  void operator()(auto& kernel) const { run(kernel, doall_loops{options}); }
};

// At this size the other letters are the same programs. The microbenchmarks go through the
// whole registry. NAS's kernels take long for that: each is run under some of it, not the
// same ones.
TEST(HybridPrograms, ComputeTheSameUnderEverySchedule) {
  loop_options options;
  const std::vector<std::string> every = tests::every_schedule_text();
  std::vector<program> all = hybrid_programs(door{options});
  std::erase_if(all, [](const program& p) { return !p.name.ends_with("-S"); });
  const auto nas = std::ranges::stable_partition(
      all, [](const program& p) { return !p.name.starts_with("nas"); });
  const auto use = [&options](const std::string& text) { options.how = schedule(text); };
  expect_serial_answers({all.begin(), nas.begin()}, nullptr, every, use);
  for (std::size_t turn = 0; turn < nas.size(); ++turn) {
    std::vector<std::string> own;
    for (std::size_t i = turn; i < every.size(); i += 3 * nas.size()) own.push_back(every[i]);
    expect_serial_answers({nas[turn]}, nullptr, own, use);
  }
}

}  // namespace
}  // namespace doall::bench
