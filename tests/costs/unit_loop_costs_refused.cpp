// Costs that are of no use (src/costs/loop_costs): what is said of them, once, and what runs
// instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "costs/cost_making.hpp"
#include "doall/detail/block_costs.h"
#include "support/told_costs.hpp"

namespace doall::tests {
namespace {

// What is said on standard error.
template <class Act>
std::string said_by(Act act) {
  testing::internal::CaptureStderr();
  act();
  return testing::internal::GetCapturedStderr();
}

template <class T>
void expect_refused(const std::vector<T>& costs, const std::string& why) {
  static u64 generation = 0;  // they change where nobody looks
  const doall_costs told = told_of(costs, ++generation);
  const std::string said = said_by([&] {
    EXPECT_EQ(planned("wsrw,3", 2, told).schedule(), "wsri,3");
    EXPECT_EQ(planned("wsrw,3", 2, told).schedule(), "wsri,3");
  });
  EXPECT_NE(said.find(why), std::string::npos) << said;
  EXPECT_NE(said.find("under \"wsrw,3\" are not used"), std::string::npos) << said;
  EXPECT_NE(said.find("it runs by \"wsri,3\""), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  const planned contiguous("best-static", 2, told);
  EXPECT_EQ(contiguous.schedule(), "best-static");
  EXPECT_FALSE(contiguous.costs().given());
}

TEST(LoopCostsRefused, OfNoUseAreToldOnce) {
  auto of_signed = as<std::int64_t>(uneven(900));
  of_signed[17] = -3;
  expect_refused(of_signed, "iteration 17 costs -3, expected a number of 0 or more");

  auto real = as<double>(uneven(901));
  real[700] = std::numeric_limits<double>::quiet_NaN();
  expect_refused(real, "iteration 700 costs ");
  real[700] = -0.5;
  real[35] = std::numeric_limits<double>::infinity();
  expect_refused(real, "iteration 35 costs inf");
  real[35] = 1;
  expect_refused(real, "iteration 700 costs -0.5");
  real[700] = real[3] = std::numeric_limits<double>::max();
  expect_refused(real, "does not fit");

  std::vector<u64> huge = uneven(902);
  huge[10] = huge[20] = u64{1} << 63;
  expect_refused(huge, "the sum of all costs does not fit in 64 bits");
  huge[21] = huge[20];  // in different lists
  huge[20] = 1;
  expect_refused(huge, "the sum of all costs does not fit in 64 bits");
}

TEST(LoopCostsRefused, RunningSumsThatDecreaseAreToldOnce) {
  std::vector<u64> sums = sums_of(uneven(903));
  sums[400] = sums[402] + 1;
  const std::string said = said_by([&] {
    for (int run = 0; run < 2; ++run) {
      EXPECT_EQ(planned("wsrw", 2, told_of_sums(sums)).schedule(), "wsri");
    }
  });
  EXPECT_NE(said.find("the running sums decrease at iteration 400"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;

  sums.back() = 0;
  sums.front() = 1;
  EXPECT_NE(said_by([&] { planned("best-static", 2, told_of_sums(sums)); }).find("begin at 1 and"),
            std::string::npos);
}

// What is found by looking through running sums.
struct looked_through {
  costs::cost_fault fault;
  bool uniform;
};

looked_through look_through(const std::vector<u64>& sums, std::uint32_t workers) {
  const doall_costs told = told_of_sums(sums);
  std::vector<costs::cost_piece> pieces(workers);
  costs::cost_making made(told, {told.iterations, workers}, nullptr, pieces.data());
  for (std::uint32_t p = 0; p < workers; ++p) made.add_up(p);
  made.settle();
  return {made.fault(), made.uniform()};
}

TEST(LoopCostsRefused, RunningSumsAreLookedAtFromTheFirstToTheLast) {
  for (u64 n = 1; n <= 24; ++n) {
    for (const std::uint32_t workers : {1U, 2U, 5U}) {
      std::vector<u64> sums(n + 1);
      for (u64 i = 0; i <= n; ++i) sums[i] = 7 * i;
      EXPECT_TRUE(look_through(sums, workers).uniform) << n;
      for (u64 i = 0; i < n; ++i) {
        SCOPED_TRACE(testing::Message() << i << " of " << n << ", " << workers << " workers");
        std::vector<u64> one_dearer = sums;
        for (u64 later = i + 1; later <= n; ++later) ++one_dearer[later];
        EXPECT_EQ(look_through(one_dearer, workers).uniform, n == 1);
        EXPECT_EQ(look_through(one_dearer, workers).fault.what, costs::cost_fault::kind::none);
        for (std::vector<u64> falling : {sums, one_dearer}) {
          for (u64 later = i + 1; later <= n; ++later) falling[later] -= 9;
          const costs::cost_fault fault = look_through(falling, workers).fault;
          EXPECT_EQ(fault.what, costs::cost_fault::kind::decreasing);
          EXPECT_EQ(fault.iteration, i);
        }
      }
    }
  }
}

TEST(LoopCostsRefused, OfAnotherNumberOfIterationsAreToldOnce) {
  const std::vector<u64> costs = uneven(904);
  const std::vector<u64> sums = sums_of(costs);
  for (const doall_costs& told : {told_of(costs), told_of_sums(sums)}) {
    const std::string said = said_by(
        [&] { EXPECT_EQ(planned("wsrw", {told.kind + 5ULL, 2}, &told).schedule(), "wsri"); });
    EXPECT_NE(said.find("they are of 904 iterations"), std::string::npos) << said;
  }
}

TEST(LoopCostsRefused, TooManyToBeKeptAreToldOnce) {
  doall_costs told{};
  told.size = sizeof told;
  told.kind = DOALL_COSTS_UNSIGNED;
  told.write = [](const doall_costs*, u64 first, u64 stride, u64 count, void* to) {
    for (u64 k = 0; k < count; ++k) static_cast<u64*>(to)[k] = (first + k * stride) % 100;
  };
  told.identity = &told;
  for (const u64 n : {u64{1} << 30, base::u64_max}) {
    const std::string said =
        said_by([&] { EXPECT_EQ(planned("wsrw", {n, 2}, &told).schedule(), "wsri"); });
    EXPECT_NE(said.find("no room for their sums"), std::string::npos) << said;
  }
}

TEST(LoopCostsRefused, ThatAreMissingAreToldOnce) {
  const std::string said = said_by([] {
    for (int run = 0; run < 2; ++run) {
      EXPECT_EQ(planned("wsrw,2", {1000, 2}, nullptr).schedule(), "wsri,2");
      EXPECT_EQ(planned("hybrid,costs", {1000, 2}, nullptr).schedule(), "hybrid,costs");
      EXPECT_EQ(planned("best-static", {1000, 2}, nullptr).schedule(), "best-static");  // silent
    }
  });
  EXPECT_NE(said.find("run by \"wsri,2\""), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
}

// A reduction's schedule deals blocks, whose costs are made of those of its indices.
TEST(LoopCostsRefused, AnotherNumberThanAReductionHasIsTold) {
  constexpr u64 indices = 5000;
  const doall_cut cut = doall_cut_of(indices, sizeof(double));
  const std::vector<u64> sums(indices + 1);
  const auto said_of = [&](const doall_costs& told) {
    doall_block_costs of_blocks;
    const doall_costs* const blocks = doall_block_costs_make(&of_blocks, cut, &told);
    return said_by([&] {
      const auto loop =
          costs::with_costs(spec_of("best-static"), {cut.blocks, 2}, blocks, {}, indices);
      EXPECT_FALSE(loop.costs.given());
    });
  };
  const auto expect_said = [&](const doall_costs& told, const std::string& why) {
    EXPECT_NE(said_of(told).find("the costs of a loop of 5000 iterations under \"best-static\" are "
                                 "not used: " +
                                 why),
              std::string::npos);
  };
  for (const u64 number : {cut.blocks, u64{1000}}) {
    const std::string why = "they are of " + std::to_string(number) + " iterations, expected as";
    expect_said(told_of(uneven(number), number), why);
  }
  doall_costs told = told_of_sums(sums);
  told.iterations = 0;
  expect_said(told, "they are of 0 iterations, expected as many");
  told.iterations = indices;
  told.data = nullptr;
  expect_said(told, "their kind 1 is not known, or they are nowhere");
}

}  // namespace
}  // namespace doall::tests
