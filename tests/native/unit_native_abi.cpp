// Programs that were built with an earlier release, or with another compiler.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "support/every_schedule.hpp"

namespace {

int add_up(void* context, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
           std::uint32_t) {
  auto& sum = *static_cast<std::atomic<std::uint64_t>*>(context);
  for (std::uint64_t i = begin; i < end; i += step) sum += i;
  return 0;
}

// The first release's doall_loop ended before the costs.
constexpr std::uint32_t first_size = offsetof(doall_loop, cost_sums);

TEST(Abi, TakesTheDescriptorOfTheFirstRelease) {
  for (const doall::schedule& how : doall::tests::every_schedule()) {
    std::atomic<std::uint64_t> sum{0};
    doall_loop loop{};
    loop.size = first_size;
    loop.iterations = 1000;
    loop.body = add_up;
    loop.context = &sum;
    loop.schedule = how.raw();
    // Whatever lies behind it is not the library's to read.
    std::vector<std::byte> old(first_size + 64, std::byte{0xa5});
    std::memcpy(old.data(), &loop, first_size);
    EXPECT_EQ(doall_run(reinterpret_cast<const doall_loop*>(old.data())), 0);
    EXPECT_EQ(sum, 499500U);
  }
}

TEST(Abi, TakesTheDescriptorOfALaterRelease) {
  struct later {
    doall_loop known;
    std::uint64_t unknown[4];
  };
  std::atomic<std::uint64_t> sum{0};
  later loop{};
  loop.known.size = sizeof loop;
  loop.known.iterations = 10;
  loop.known.body = add_up;
  loop.known.context = &sum;
  EXPECT_EQ(doall_run(&loop.known), 0);
  EXPECT_EQ(sum, 45U);
}

// On 64-bit machines. A field that moves breaks every program built so far: new
// ones go to the end.
static_assert(offsetof(doall_loop, size) == 0);
static_assert(offsetof(doall_loop, line) == 4);
static_assert(offsetof(doall_loop, iterations) == 8);
static_assert(offsetof(doall_loop, body) == 16);
static_assert(offsetof(doall_loop, context) == 24);
static_assert(offsetof(doall_loop, schedule) == 32);
static_assert(offsetof(doall_loop, file) == 40);
static_assert(offsetof(doall_loop, function) == 48);
static_assert(offsetof(doall_loop, cost_sums) == 56);
static_assert(offsetof(doall_schedule, which) == 0);
static_assert(offsetof(doall_schedule, count) == 8);
static_assert(offsetof(doall_schedule, order) == 12);
static_assert(offsetof(doall_schedule, options) == 16);
static_assert(sizeof(doall_schedule) == 64);  // so far

// What a program's objects compile to of the headers is named v0: a later release
// whose templates do not fit changes the name, and both can be linked.
static_assert(std::is_same_v<doall::schedule, doall::v0::schedule>);
static_assert(std::is_same_v<doall::loop_options, doall::v0::loop_options>);
static_assert(std::is_same_v<doall::thread_scope, doall::v0::thread_scope>);
static_assert(std::is_same_v<doall::stopped, doall::v0::stopped>);
static_assert(std::is_same_v<doall::loop_end, doall::v0::loop_end>);
static_assert(std::is_same_v<doall::range<int>, doall::v0::range<int>>);

}  // namespace
