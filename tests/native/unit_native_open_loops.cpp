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

#include "settings/settings.hpp"
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

using doall::detail::site_word;
using doall::tests::become_known;
using doall::tests::inside;

// As the header begins a loop of that piece.
template <class Piece>
bool begin_here(doall_site& site, std::uint64_t iterations, const Piece& piece,
                std::uint64_t& first) {
  doall::detail::guarded<Piece> body{nullptr, piece};
  return doall::detail::run_here(site, iterations, doall::detail::constants.none, body, first);
}

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
    for (int i = 0; i < most && this->grain() < grain; ++i) run(iterations, {}, how);
  }
  void stand_for(std::uint64_t indices) { loop_.indices = indices; }
  void nest() { nests_ = true; }
  // Each iteration runs a loop of the same place, as the header does.
  void recur() { recurs_ = true; }
  // 0: not told.
  std::uint64_t grain() const {
    const site_word told(site_.word);
    return told.is_known() ? told.grain() : 0;
  }

 private:
  static int body(void* self, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) {
    auto& me = *static_cast<told_loop*>(self);
    if (me.each_.count() != 0) std::this_thread::sleep_for(me.each_);
    // One longer than a piece: shorter ones are part of the body.
    if (me.nests_) doall::parallel_for(0, 10'000, [](int) { asm volatile(""); });
    if (me.recurs_) {
      std::uint64_t first = 0;
      begin_here(
          me.site_, 2,
          [](std::uint64_t, std::uint64_t, const auto&) { return doall::loop_end::completed; },
          first);
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

bool may_run_here(const doall::loop_options& options) {
  return doall::detail::nesting_thread(options) != nullptr;
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
  EXPECT_FALSE(may_run_here(doall::detail::constants.none));
}

TEST(NestingThread, LeavesLoopsThatAreToldSomethingToTheRuntime) {
  inside(2, [] {
    owe_no_timing();
    ASSERT_TRUE(may_run_here(doall::detail::constants.none));
    EXPECT_TRUE(may_run_here({.order = doall::reduce_order::any}));
    EXPECT_FALSE(may_run_here({.how = doall::schedule("lbs,1")}));
    EXPECT_FALSE(may_run_here({.how = doall::schedule("dynamic")}));
    EXPECT_TRUE(may_run_here({.how = doall::schedule::lbs()}));
    EXPECT_TRUE(may_run_here({.how = doall::schedule::auto_()}));
    const std::stop_source stop;
    EXPECT_FALSE(may_run_here({.stop = stop.get_token()}));
    const std::vector<std::uint64_t> sums{0, 1, 2};
    EXPECT_FALSE(may_run_here(doall::loop_costs(sums)));
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

doall_thread& here() { return *doall::detail::this_thread; }

// For as long as a test takes. Never: so that each loop asks the runtime.
constexpr std::uint64_t for_long = ~std::uint64_t{0};
constexpr std::uint64_t never = 0;
constexpr std::uint64_t is_over = 1;

// Runs empty loops of one place until the runtime lets this thread run the next ones alone.
bool become_alone() {
  for (int i = 0; i < 1'000; ++i) {
    doall::parallel_for(0, 4, [](int) {});
    if (here().plain_until != never) return true;
  }
  return false;
}

doall_site known(std::uint64_t plain) {
  return {site_word().with_grain(100).with_plain(plain).raw()};
}

// Begins a loop of that site here, if it need not ask the runtime. Returns how many iterations it
// runs before it does.
std::uint64_t run_plain(doall_site site, std::uint64_t iterations) {
  std::uint64_t ran = 0;
  std::uint64_t first = 0;
  const auto piece = [&](std::uint64_t begin, std::uint64_t end, const auto&) {
    EXPECT_EQ(begin, ran);
    ran = end;
    return doall::loop_end::completed;
  };
  const bool whole = begin_here(site, iterations, piece, first);
  EXPECT_EQ(ran, first);
  EXPECT_EQ(whole, iterations != 0 && first == iterations);
  return ran;
}

TEST(PlainLoops, AreThoseThatTheirSiteSaysWhileTheThreadHasTime) {
  const doall::thread_scope team(2);
  become_known();
  here().plain_until = for_long;
  EXPECT_EQ(run_plain(known(250), 250), 250U);
  EXPECT_EQ(run_plain(known(250), 251), 0U);
  EXPECT_EQ(run_plain(known(250), 0), 0U);
  EXPECT_EQ(run_plain({}, 2), 0U) << "not known";
  EXPECT_EQ(run_plain({}, 1), 1U) << "one iteration need not be known";
  here().plain_until = never;
  EXPECT_EQ(run_plain(known(250), 1), 0U);
  const auto& none = doall::detail::constants.none;
  here().plain_until = for_long;
  EXPECT_TRUE(doall::detail::is_plain(known(250), 250, none));
  EXPECT_FALSE(doall::detail::is_plain(known(250), 251, none));
  EXPECT_FALSE(doall::detail::is_plain(known(250), 0, none));
  EXPECT_FALSE(doall::detail::is_plain(known(250), 100, doall::schedule::lbs()));
  const std::stop_source stop;
  EXPECT_FALSE(doall::detail::is_plain(known(250), 100, {.stop = stop.get_token()}));
  here().plain_until = is_over;
  EXPECT_FALSE(doall::detail::is_plain(known(250), 100, none)) << "its rest could not be shared";
  here().plain_until = never;
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(PlainLoops, GoToTheRuntimeWhenTheyAreLate) {
  const doall::thread_scope team(2);
  become_known();
  here().plain_until = is_over;
  EXPECT_EQ(run_plain(known(250), 250), 1U) << "one iteration shows it";
  EXPECT_EQ(run_plain(known(250), 1), 1U) << "there is no rest";
  // It gets late on the way: after so many iterations the clock is read.
  doall_site site = known(10'000);
  std::uint64_t first = 0;
  here().plain_until = doall::detail::ticks() + 20'000'000;
  const auto piece = [&](std::uint64_t begin, std::uint64_t, const auto&) {
    while (begin >= 32 && doall::detail::ticks() <= here().plain_until) {
    }
    return doall::loop_end::completed;
  };
  EXPECT_FALSE(begin_here(site, 10'000, piece, first));
  // Unless it was preempted before.
  EXPECT_TRUE(first == 1 || first == 32 || first == 32 * 32) << first;
  here().plain_until = never;
}

// The whole way: each iteration once, whatever happens in the middle.
TEST(PlainLoops, HaveTheirRestRunByTheRuntimeOnce) {
  const doall::thread_scope team(2);
  become_known();
  ASSERT_TRUE(become_alone() || doall::team::is_steered());
  std::vector<std::atomic<int>> ran(200);
  for (int round = 0; round < 2'000; ++round) {
    if (round % 3 == 0) here().plain_until = is_over;
    const int n = 1 + round % 200;
    for (auto& one : ran) one.store(0, std::memory_order_relaxed);
    doall::parallel_for(0, n, [&](int i) { ran[i].fetch_add(1, std::memory_order_relaxed); });
    for (int i = 0; i < 200; ++i) ASSERT_EQ(ran[i].load(), i < n ? 1 : 0) << round;
  }
}
#endif

TEST(PlainLoopsTimed, AskTheRuntimeNowAndThen) {
  SKIP_WITH_THREAD_SANITIZER();
  const doall::thread_scope team(2);
  become_known();
  ASSERT_TRUE(become_alone());
  const std::uint64_t until = here().plain_until;
  for (int i = 0; i < 10'000'000 && here().plain_until == until; ++i)
    doall::parallel_for(0, 4, [](int) { asm volatile(""); });
  EXPECT_NE(here().plain_until, until);
}

TEST(PlainLoopsTimed, AskTheRuntimeOnceCostsAreNamed) {
  SKIP_WITH_THREAD_SANITIZER();
  const doall::thread_scope team(2);
  become_known();
  ASSERT_TRUE(become_alone());
  const std::vector<std::uint64_t> sums{0, 1, 2};
  doall_costs costs{};
  costs.size = sizeof costs;
  costs.data = sums.data();
  doall_loop_costs_name(&costs);
  EXPECT_EQ(here().plain_until, never);
  doall_loop_costs_name(nullptr);
  ASSERT_TRUE(become_alone());
  doall_set_threads(3);
  EXPECT_EQ(here().plain_until, never);
}

// Last, for what steers loops cannot be taken back: first by the thread that is in a loop.
TEST(Steering, TakesEffectInTheLoopInWhichItIsAskedForAndAfter) {
  inside(2, [] {
    owe_no_timing();
    ASSERT_TRUE(may_run_here(doall::detail::constants.none));
    ASSERT_EQ(doall_set_schedule("ebs-simple"), 0);
    EXPECT_FALSE(may_run_here(doall::detail::constants.none));
  });
  inside(2, [] {
    become_known();
    EXPECT_FALSE(may_run_here(doall::detail::constants.none));
  });
  const doall::thread_scope team(2);
  EXPECT_FALSE(become_alone());
}

}  // namespace
