// src/costs/costs_of_cells: a cell costs what its iterations do, in whatever form they were told.
#include "costs/costs_of_cells.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/told_costs.hpp"

namespace doall::tests {
namespace {

template <class T>
std::vector<T> written(const doall_costs& told, u64 first, u64 stride, u64 count) {
  std::vector<T> costs(count);
  told.write(&told, first, stride, count, costs.data());
  return costs;
}

// Costs 0 to 199 in cells of 70: 0 to 69, 70 to 139, 140 to 199.
template <class T>
const std::vector<T> sums_of_cells = {2415, 7315, 10170};

template <class T>
void expect_cells(const doall_costs& told) {
  const costs::costs_of_cells cells(&told, 200, 70);
  ASSERT_NE(cells.get(), nullptr);
  EXPECT_EQ(cells.get()->iterations, 3U);
  EXPECT_EQ(written<T>(*cells.get(), 0, 1, 3), sums_of_cells<T>);
  EXPECT_EQ(written<T>(*cells.get(), 0, 2, 2),
            (std::vector<T>{sums_of_cells<T>[0], sums_of_cells<T>[2]}));
}

TEST(CostsOfCells, AreSumsOfEveryForm) {
  std::vector<u64> costs(200);
  std::iota(costs.begin(), costs.end(), u64{0});
  const auto of_signed = as<std::int64_t>(costs);
  const auto real = as<double>(costs);
  const std::vector<u64> sums = sums_of(costs);
  expect_cells<u64>(told_of(costs));
  expect_cells<std::int64_t>(told_of(of_signed));
  expect_cells<double>(told_of(real));
  expect_cells<u64>(told_of_sums(sums));
}

TEST(CostsOfCells, LeaveTheRestAsItWasTold) {
  const std::vector<u64> costs(200, 3);
  const doall_costs told = told_of(costs);
  EXPECT_EQ(costs::costs_of_cells(nullptr, 200, 70).get(), nullptr);
  EXPECT_EQ(costs::costs_of_cells(&told, 200, 1).get(), &told);
  doall_costs hint{};
  hint.size = sizeof hint;
  hint.hints = DOALL_COSTS_UNIFORM;
  EXPECT_EQ(costs::costs_of_cells(&hint, 200, 70).get(), &hint);
}

// Costs of another number of iterations are for with_costs() to refuse, also if there are as many
// cells.
TEST(CostsOfCells, OfAnotherNumberAreNowhere) {
  const std::vector<u64> costs(200, 3);
  for (const u64 iterations : {199, 3}) {
    doall_costs other = told_of(costs);
    other.iterations = iterations;
    const costs::costs_of_cells cells(&other, 200, 70);
    EXPECT_EQ(cells.get()->iterations, iterations);
    EXPECT_EQ(cells.get()->write, nullptr);
    const costs::costed_loop loop =
        costs::with_costs(spec_of("wsrw"), {3, 2}, cells.get(), {}, 200, 70);
    EXPECT_FALSE(loop.costs.given());
  }
}

// As many cells of other iterations cost something else.
TEST(CostsOfCells, HaveNamesOfTheirOwn) {
  const std::vector<u64> costs(400, 3);
  const auto name = [&](u64 generation, u64 iterations, u64 cell) {
    doall_costs told = told_of(costs, generation);
    told.iterations = iterations;
    return costs::costs_of_cells(&told, iterations, cell).get()->identity;
  };
  EXPECT_EQ(name(1, 400, 4), name(1, 400, 4));
  EXPECT_NE(name(1, 400, 4), name(1, 397, 4));
  EXPECT_NE(name(1, 400, 4), name(1, 100, 1));
  EXPECT_NE(name(1, 400, 4), name(1, 200, 2));
  EXPECT_EQ(name(0, 400, 4), costs.data());
  doall_costs unnamed = told_of(costs, 1);
  unnamed.identity = nullptr;
  EXPECT_EQ(costs::costs_of_cells(&unnamed, 400, 4).get()->identity, nullptr);
}

// A negative cost stays negative, and what does not fit is the largest number.
TEST(CostsOfCells, KeepWhatIsWrong) {
  const std::vector<std::int64_t> negative = {5, -1, 9, 9};
  const doall_costs told = told_of(negative);
  const costs::costs_of_cells cells(&told, 4, 3);
  EXPECT_EQ(written<std::int64_t>(*cells.get(), 0, 1, 2), (std::vector<std::int64_t>{-1, 9}));
  const std::vector<u64> large = {base::u64_max, 7, 1};
  const doall_costs huge = told_of(large);
  const costs::costs_of_cells capped(&huge, 3, 2);
  EXPECT_EQ(written<u64>(*capped.get(), 0, 1, 2), (std::vector<u64>{base::u64_max, 1}));
}

}  // namespace
}  // namespace doall::tests
