// Nested loops that the program's own code runs where it meets them (detail/open_loops.hpp): what
// the runtime says of their sites, and which loops go to the runtime all the same.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stop_token>
#include <thread>
#include <vector>

#include "support/file_environment.hpp"
#include "support/inside_loop.hpp"

// Under which no loop is short: to count a piece takes longer than to run it.
#if defined(__SANITIZE_THREAD__)
#define SKIP_WITH_THREAD_SANITIZER() \
  GTEST_SKIP() << "under ThreadSanitizer counting a piece is long"
#else
#define SKIP_WITH_THREAD_SANITIZER() static_cast<void>(0)
#endif

// The same of tests that expect a length: with checks of addresses an empty iteration may take
// 200 ns, or less.
#if defined(__SANITIZE_ADDRESS__)
#define SKIP_WITH_SANITIZERS() GTEST_SKIP() << "with a sanitizer an empty iteration may be long"
#else
#define SKIP_WITH_SANITIZERS() SKIP_WITH_THREAD_SANITIZER()
#endif

namespace {

using doall::tests::become_known;
using doall::tests::inside;

// Before the library reads it: teams may be larger than the machine.
const doall::tests::file_environment oversubscribed(__FILE__, "DOALL_OVERSUBSCRIBE", "true");

// A loop as the header describes one, but each is given to the runtime. No two are of the same
// place, so no test inherits what another has taught.
class told_loop {
 public:
  void run(std::uint64_t iterations, std::chrono::microseconds each = {},
           const doall::schedule& how = {}) {
    loop_.iterations = iterations;
    loop_.schedule = how.raw();
    each_ = each;
    ASSERT_EQ(doall_run(&loop_), 0);
  }
  // Preempted ones look long: not at the first attempt, perhaps.
  void run_until_told(std::uint64_t grain, std::uint64_t iterations,
                      const doall::schedule& how = {}) {
    constexpr int most = 10'000;
    for (int i = 0; i < most && site_.grain < grain; ++i) run(iterations, {}, how);
  }
  void stand_for(std::uint64_t indices) { loop_.indices = indices; }
  void nest() { nests_ = true; }
  // Each iteration runs a loop of the same place, as the header does.
  void recur() { recurs_ = true; }
  std::uint64_t grain() const { return site_.grain; }
  std::uint64_t schedule() const { return site_.schedule; }

 private:
  static int body(void* self, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) {
    auto& me = *static_cast<told_loop*>(self);
    if (me.each_.count() != 0) std::this_thread::sleep_for(me.each_);
    // One longer than a piece: shorter ones are part of the body.
    if (me.nests_) doall::parallel_for(0, 10'000, [](int) { asm volatile(""); });
    if (me.recurs_) {
      doall::detail::run_nested(me.site_, 2, doall::detail::constants.none,
                                [](std::uint64_t, std::uint64_t, const auto&) {});
    }
    return 0;
  }
  static inline std::uint32_t places = 0;

  std::chrono::microseconds each_{};
  bool nests_ = false;
  bool recurs_ = false;
  doall_site site_{};
  doall_loop loop_{.size = sizeof(doall_loop),
                   .line = ++places,
                   .iterations = 0,
                   .body = body,
                   .context = this,
                   .schedule = nullptr,
                   .file = nullptr,
                   .function = nullptr,
                   .cost_sums = nullptr,
                   .combine = nullptr,
                   .costs = nullptr,
                   .indices = 0,
                   .site = &site_,
                   .copied = 0};
};

// Empty iterations: a piece takes 400 ns.
constexpr std::uint64_t several = 4;

TEST(SiteTimed, IsToldHowManyIterationsArePieceEnough) {
  SKIP_WITH_SANITIZERS();
  for (const int threads : {1, 2}) {
    inside(threads, [] {
      told_loop loop;
      loop.run_until_told(several, 1'000);
      EXPECT_GE(loop.grain(), several);
      EXPECT_EQ(loop.schedule(), 0U);
    });
  }
}

TEST(SiteTimed, CountsTheProgramsIndices) {
  SKIP_WITH_SANITIZERS();
  inside(2, [] {
    told_loop loop;
    loop.stand_for(4'000'000);
    loop.run_until_told(4'000, 1'000);
    EXPECT_GE(loop.grain(), 4'000U);
  });
}

// Of loops whose iterations are long there is a look after each.
TEST(SiteTimed, IsToldAnewWhenIterationsGetLong) {
  SKIP_WITH_SANITIZERS();
  inside(2, [] {
    told_loop loop;
    loop.run_until_told(several, 1'000);
    const std::uint64_t before = loop.grain();
    ASSERT_GE(before, several);
    for (int i = 0; i < 2'000 && loop.grain() >= several; ++i) {
      loop.run(2, std::chrono::microseconds(200));
    }
    EXPECT_LT(loop.grain(), several) << "was told " << before;
  });
}

TEST(Site, OfALoopWithOthersInsideHasAGrainOfOne) {
  for (const int threads : {1, 2}) {
    inside(threads, [] {
      told_loop loop;
      loop.nest();
      for (int i = 0; i < 100; ++i) loop.run(4);
      EXPECT_EQ(loop.grain(), 1U);
    });
  }
}

// A recursion whose first loops had no others inside: those within are shorter than what the site
// was told, so they are plain ones and leave no trace but this.
TEST(SiteTimed, OfALoopWithPlainOnesOfTheSameSiteInsideHasAGrainOfOne) {
  SKIP_WITH_SANITIZERS();
  for (const int threads : {1, 2}) {
    inside(threads, [] {
      become_known();  // whichever thread has the iteration: plain loops leave their trace there
      told_loop loop;
      loop.run_until_told(several, 1'000);
      ASSERT_GE(loop.grain(), several);
      loop.recur();
      for (int i = 0; i < 2'000 && loop.grain() != 1; ++i) loop.run(4);
      EXPECT_EQ(loop.grain(), 1U);
      for (int i = 0; i < 2'000; ++i) loop.run(4);
      EXPECT_EQ(loop.grain(), 1U);
    });
  }
}

TEST(SiteTimed, KnowsTheScheduleForNestedLoopsByName) {
  SKIP_WITH_SANITIZERS();
  inside(2, [] {
    told_loop loop;
    loop.run_until_told(several, 1'000, doall::schedule::lbs());
    EXPECT_GE(loop.grain(), several);
    EXPECT_EQ(loop.schedule(), doall::schedule::lbs().raw()->which);
  });
}

TEST(Site, OfLoopsOfOtherSchedulesIsNotTold) {
  for (const char* how : {"lbs,1", "static-steal", "hybrid", "serial-inner", "ebs-simple"}) {
    inside(2, [&] {
      told_loop loop;
      for (int i = 0; i < 100; ++i) loop.run(1'000, {}, doall::schedule(how));
      EXPECT_EQ(loop.grain(), 0U) << how;
    });
  }
}

// What the program's side asks before it runs a loop itself.

template <class Site>
bool may_run_here(const Site& site, const doall::loop_options& options) {
  return doall::detail::nesting_thread(site, options) != nullptr;
}

// The calling thread, in a loop, owes the runtime no timing of its next one. The clock decides when
// it does: after a look that came late.
void owe_no_timing() {
  become_known();
  doall::detail::this_thread->inlined = 1;
}

TEST(NestingThread, IsNoneOutsideOfLoops) {
  const doall::thread_scope team(2);
  become_known();
  const doall_site site{100, 0, 0, 0};
  EXPECT_FALSE(may_run_here(site, doall::detail::constants.none));
}

TEST(NestingThread, LeavesLoopsThatAreToldSomethingToTheRuntime) {
  inside(2, [] {
    owe_no_timing();
    const doall_site site{100, 0, 0, 0};
    ASSERT_TRUE(may_run_here(site, doall::detail::constants.none));
    EXPECT_TRUE(may_run_here(site, {.order = doall::reduce_order::any}));
    EXPECT_FALSE(may_run_here(site, {.how = doall::schedule("lbs,1")}));
    EXPECT_FALSE(may_run_here(site, {.how = doall::schedule("dynamic")}));
    EXPECT_FALSE(may_run_here(site, {.how = doall::schedule::lbs()}));
    const doall_site of_lbs{100, doall::schedule::lbs().raw()->which, 0, 0};
    EXPECT_TRUE(may_run_here(of_lbs, {.how = doall::schedule::lbs()}));
    EXPECT_FALSE(may_run_here(of_lbs, {.how = doall::schedule("lbs,1")}));
    const std::stop_source stop;
    EXPECT_FALSE(may_run_here(site, {.stop = stop.get_token()}));
    const std::vector<std::uint64_t> sums{0, 1, 2};
    EXPECT_FALSE(may_run_here(site, doall::loop_costs(sums)));
  });
}

// The state of a thread that has ended is another's, or nobody's.
TEST(NestingThread, OfAnEndedThreadIsNobodys) {
  doall_thread* first = nullptr;
  std::thread([&] {
    become_known();
    first = doall::detail::this_thread;
    ASSERT_NE(first, nullptr);
    EXPECT_TRUE(doall::detail::is_this_thread(first));
  }).join();
  EXPECT_EQ(first->owner, nullptr);
  EXPECT_FALSE(doall::detail::is_this_thread(first));
  std::thread([&] {
    EXPECT_EQ(doall::detail::this_thread, nullptr);
    become_known();
    EXPECT_TRUE(doall::detail::is_this_thread(doall::detail::this_thread));
  }).join();
}

// Runs empty loops of one place until the runtime lets this thread run the next ones alone.
bool become_alone() {
  for (int i = 0; i < 1'000; ++i) {
    doall::parallel_for(0, 4, [](int) {});
    if (doall::detail::this_thread->alone != 0) return true;
  }
  return false;
}

// Runs so many iterations of a loop of that site, if they need not ask the runtime.
bool run_plain(doall_site& site, std::uint64_t iterations) {
  std::uint64_t ran = 0;
  const auto piece = [&](std::uint64_t begin, std::uint64_t end, const auto&) {
    ran += end - begin;
  };
  const bool plain =
      doall::detail::run_nested(site, iterations, doall::detail::constants.none, piece);
  EXPECT_EQ(ran, plain ? iterations : 0);
  return plain;
}

TEST(ShortLoopsTimed, OutsideOfOthersAreRunWithoutTheRuntimeAndAreTimedAgain) {
  SKIP_WITH_THREAD_SANITIZER();
  const doall::thread_scope team(2);
  become_known();
  ASSERT_TRUE(become_alone());
  const doall_site site{100, 0, 0, 0};
  doall_thread& here = *doall::detail::this_thread;
  EXPECT_LE(here.alone_quarters, 64U);
  here.alone_quarters = 0;
  const std::uint32_t left = here.alone;
  EXPECT_TRUE(doall::detail::is_alone(site, 100, doall::detail::constants.none));
  EXPECT_EQ(here.alone, left - 1);
  EXPECT_FALSE(doall::detail::is_alone(site, 101, doall::detail::constants.none));
  EXPECT_FALSE(doall::detail::is_alone(site, 0, doall::detail::constants.none));
  EXPECT_FALSE(doall::detail::is_alone({1, 0, 0, 9}, 1, doall::detail::constants.none));
  EXPECT_FALSE(doall::detail::is_alone(site, 100, doall::schedule::lbs()));
  const std::stop_source stop;
  EXPECT_FALSE(doall::detail::is_alone(site, 100, {.stop = stop.get_token()}));
  // What does not gain may be longer than a grain.
  here.alone_quarters = 10;
  EXPECT_TRUE(doall::detail::is_alone(site, 250, doall::detail::constants.none));
  EXPECT_FALSE(doall::detail::is_alone(site, 251, doall::detail::constants.none));
  EXPECT_FALSE(doall::detail::is_alone({1, 0, 0, 9}, 2, doall::detail::constants.none));
  int before_the_runtime = 0;
  while (doall::detail::is_alone(site, 1, doall::detail::constants.none)) ++before_the_runtime;
  EXPECT_LT(before_the_runtime, 32);
}

TEST(ShortLoopsTimed, OfOneIterationNeedNotBeKnown) {
  SKIP_WITH_THREAD_SANITIZER();
  const doall::thread_scope team(2);
  become_known();
  ASSERT_TRUE(become_alone());
  doall_site unknown{};
  const std::uint32_t left = doall::detail::this_thread->alone;
  EXPECT_TRUE(run_plain(unknown, 1));
  EXPECT_EQ(doall::detail::this_thread->alone, left - 1);
  EXPECT_FALSE(run_plain(unknown, 0));
  EXPECT_FALSE(run_plain(unknown, 2));
}

TEST(ShortLoopsTimed, AskTheRuntimeOnceCostsAreNamed) {
  SKIP_WITH_THREAD_SANITIZER();
  const doall::thread_scope team(2);
  become_known();
  ASSERT_TRUE(become_alone());
  const std::vector<std::uint64_t> sums{0, 1, 2};
  doall_costs costs{};
  costs.size = sizeof costs;
  costs.data = sums.data();
  doall_loop_costs_name(&costs);
  EXPECT_EQ(doall::detail::this_thread->alone, 0U);
  doall_loop_costs_name(nullptr);
}

TEST(ShortNestsTimed, AreRunWithoutTheRuntimeAndLoopsInsideDoNotCount) {
  SKIP_WITH_THREAD_SANITIZER();
  const doall::thread_scope team(2);
  become_known();
  ASSERT_TRUE(become_alone());
  const auto& none = doall::detail::constants.none;
  const doall_site nest{1, 0, 0, 20};
  doall_site short_loops{4, 0, 0, 0};
  doall_thread& here = *doall::detail::this_thread;
  here.alone_quarters = 0;
  here.alone = 3;
  EXPECT_FALSE(doall::detail::is_nest_alone(&here, nest, 21, none));
  EXPECT_FALSE(doall::detail::is_nest_alone(&here, {1, 0, 0, 0}, 2, none)) << "not known how long";
  ASSERT_TRUE(doall::detail::is_nest_alone(&here, nest, 20, none));
  {
    const doall::detail::inside_nest_alone inside(&here);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(run_plain(short_loops, 4));
  }
  EXPECT_EQ(here.alone, 2U);
  {
    const doall::detail::inside_nest_alone inside(&here);
    doall_set_threads(3);  // the next loop is to ask the runtime
  }
  EXPECT_EQ(here.alone, 0U);
}

// Rows of a matrix, as a program has them.
TEST(ShortNestsTimed, AreToldHowManyIterationsAreShort) {
  SKIP_WITH_SANITIZERS();
  const doall::thread_scope team(2);
  become_known();
  std::atomic<int> ran{0};
  int alone = 0;
  constexpr int loops = 2'000;
  for (int i = 0; i < loops; ++i) {
    const std::uint32_t left = doall::detail::this_thread->alone;
    doall::parallel_for(0, 3, [&](int) {
      doall::parallel_for(0, 3, [&](int) { ran.fetch_add(1, std::memory_order_relaxed); });
    });
    // Where no timing has met loops inside yet, these count too.
    const std::uint32_t counted = left - doall::detail::this_thread->alone;
    alone += counted == 1 || counted == 4 ? 1 : 0;
  }
  EXPECT_EQ(ran, 9 * loops);
  EXPECT_GT(alone, loops / 2);
}

// Last, for what steers loops cannot be taken back: first by the thread that is in a loop.
TEST(Steering, TakesEffectInTheLoopInWhichItIsAskedForAndAfter) {
  inside(2, [] {
    owe_no_timing();
    const doall_site site{100, 0, 0, 0};
    ASSERT_TRUE(may_run_here(site, doall::detail::constants.none));
    ASSERT_EQ(doall_set_schedule("ebs-simple"), 0);
    EXPECT_FALSE(may_run_here(site, doall::detail::constants.none));
  });
  inside(2, [] {
    become_known();
    EXPECT_FALSE(may_run_here(doall_site{100, 0, 0, 0}, doall::detail::constants.none));
  });
  const doall::thread_scope team(2);
  EXPECT_FALSE(become_alone());
}

}  // namespace
