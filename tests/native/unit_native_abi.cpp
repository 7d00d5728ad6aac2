// Programs that were built with an earlier release, or with another compiler.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
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

// Where the parts of a loop end that have been joined, by where they begin.
struct joined_parts {
  std::array<std::atomic<std::uint64_t>, 100> end_of{};
  std::atomic<int> joins{0};

  static int run(void* context, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                 std::uint32_t) {
    auto& all = *static_cast<joined_parts*>(context);
    for (std::uint64_t i = begin; i < end; i += step) all.end_of[i] = step == 1 ? end : i + 1;
    return 0;
  }
  static void join(void* context, std::uint64_t left, std::uint64_t right) {
    auto& all = *static_cast<joined_parts*>(context);
    EXPECT_EQ(all.end_of[left], right);
    all.end_of[left] = all.end_of[right].load();
    all.joins++;
  }
};

// In blocks all are joined, else none: what is not is the caller's.
TEST(Abi, JoinsBlocksThatLieSideBySide) {
  for (std::uint32_t threads = 1; threads <= 9; ++threads) {
    const doall::thread_scope team(threads);
    for (const char* text : {"static", "dynamic,7"}) {
      const doall::schedule how(text);
      joined_parts parts;
      doall_loop loop{};
      loop.size = sizeof loop;
      loop.iterations = parts.end_of.size();
      loop.body = parts.run;
      loop.context = &parts;
      loop.schedule = how.raw();
      loop.join = parts.join;
      EXPECT_EQ(doall_run(&loop), 0);
      const bool in_blocks = std::string(text) != "dynamic,7";
      EXPECT_EQ(parts.joins, in_blocks ? static_cast<int>(threads) - 1 : 0) << text;
      EXPECT_EQ(parts.end_of[0], in_blocks || threads == 1 ? 100U : 7U) << text;
    }
  }
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
static_assert(offsetof(doall_loop, combine) == 64);
static_assert(offsetof(doall_loop, costs) == 72);
static_assert(offsetof(doall_loop, indices) == 80);
static_assert(offsetof(doall_loop, site) == 88);
static_assert(offsetof(doall_loop, copied) == 96);
static_assert(offsetof(doall_loop, join) == 104);
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
