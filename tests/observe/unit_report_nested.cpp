// The report of loops that are stolen from: what a program of nested loops is said to have done,
// and that its numbers fit together, whoever stole what.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/file_text.hpp"
#include "observe/site.hpp"
#include "schedule/registry.hpp"
#include "support/file_environment.hpp"

namespace doall {
namespace {

using observe::record;
using observe::site_kind;
using u64 = std::uint64_t;

constexpr u64 middle_n = 400;
constexpr u64 inner_n = 3;

// A folder for reports, asked for before the first loop of the process, which looks once.
char folder[] = "/tmp/doall-report-XXXXXX";
const doall::tests::file_environment nested_asked(__FILE__, [] {
  if (mkdtemp(folder) != nullptr) setenv(doall::observe::report_folder_variable, folder, 1);
});

// After the process's own report.
[[gnu::destructor(101)]] void remove_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

// What this process has done up to now.
std::vector<record> report_now() {
  const std::string path = std::string(folder) + "/report." + std::to_string(getpid());
  unlink(path.c_str());
  observe::write_at_exit(4);
  return observe::read_report(base::contents(path).value_or("")).records;
}

// Of the one loop of that kind with so many iterations in all.
record only(const std::vector<record>& all, site_kind kind, u64 iterations) {
  record found;
  int matches = 0;
  for (const record& r : all) {
    if (r.kind != kind || r.iterations != iterations) continue;
    found = r;
    ++matches;
  }
  EXPECT_EQ(matches, 1) << name_of(kind) << " of " << iterations << " iterations";
  return found;
}

// Three loops, one in the other, on four threads. Each call has sites of its own.
template <int Number>
void run_program(u64 outer_n, const loop_options& options) {
  const thread_scope team(4);
  std::atomic<u64> ran{0};
  parallel_for(
      u64{0}, outer_n,
      [&](u64) {
        parallel_for(
            u64{0}, middle_n,
            [&](u64) {
              parallel_for(u64{0}, inner_n, [&](u64) {
                for (int i = 0; i < 20 * (Number + 1); ++i) asm volatile("");
                ran.fetch_add(1, std::memory_order_relaxed);
              });
            },
            options);
      },
      options);
  ASSERT_EQ(ran.load(), outer_n * middle_n * inner_n);
}

// Work, scheduling, waiting and idle time are the whole: workers x time, or the time that threads
// were in a nested loop. Each sum of ticks is rounded down.
void expect_whole(const record& r) {
  const u64 whole = r.kind == site_kind::nested ? r.inside_time : r.capacity_time;
  const u64 parts = r.busy_time + r.scheduling_time + r.waiting_time + r.idle_time;
  EXPECT_GT(whole, 0U);
  EXPECT_LE(parts, whole + whole / 100 + 4);
  EXPECT_GE(parts + whole / 100 + 4, whole);
}

// What holds of any loop that was shared by stealing.
void expect_sound(const record& r) {
  const deque::counts& c = r.stealing;
  EXPECT_GT(r.calls, 0U);
  EXPECT_LE(r.busy_time, r.inside_time);
  EXPECT_GE(c.tried, c.stolen + c.lost);
  EXPECT_GE(c.pushes + c.pop_parts, c.splits);
  EXPECT_LE(r.chunks_stolen, c.stolen);
  EXPECT_GE(r.chunks_own + r.chunks_stolen, r.calls);
  EXPECT_EQ(r.chunks_central, 0U);
  expect_whole(r);
}

TEST(report_of_nests, every_call_and_iteration_is_counted) {
  constexpr u64 outer_n = 50;
  run_program<0>(outer_n, schedule("lbs,2"));
  const std::vector<record> all = report_now();
  const record outer = only(all, site_kind::loop, outer_n);
  EXPECT_EQ(outer.calls, 1U);
  EXPECT_EQ(outer.schedule, "lbs,2");
  EXPECT_EQ(outer.workers, 4U);
  EXPECT_GT(outer.capacity_time, 0U);
  EXPECT_LE(outer.busy_time, outer.bottleneck_time);
  EXPECT_GT(outer.stealing.splits, 0U);
  expect_sound(outer);
  const record middle = only(all, site_kind::nested, outer_n * middle_n);
  EXPECT_EQ(middle.calls, outer_n);
  EXPECT_EQ(middle.schedule, "lbs,2");
  EXPECT_EQ(middle.workers, 4U);
  EXPECT_EQ(middle.capacity_time, 0U);
  EXPECT_GT(middle.stealing.splits, 0U);
  expect_sound(middle);
  const record inner = only(all, site_kind::nested, outer_n * middle_n * inner_n);
  EXPECT_EQ(inner.calls, outer_n * middle_n);
  EXPECT_EQ(inner.schedule, "lbs");
  EXPECT_GT(inner.busy_time, 0U);
  expect_sound(inner);
  // Nested loops have their own time alone, the outermost one all that descends from it. Each
  // is rounded down.
  EXPECT_GE(outer.busy_time + 2, middle.busy_time + inner.busy_time);
}

// Under any schedule, by stealing or not, with and without loops inside.
TEST(report_of_nests, parts_add_up_to_the_whole_under_every_schedule) {
  constexpr u64 outer_n = 23;
  const thread_scope team(4);
  for (const schedules::entry& e : schedules::registry()) {
    const std::string name(e.name);
    parallel_for(
        u64{0}, outer_n,
        [](u64 i) {
          for (u64 k = 0; k < 3'000 * i; ++k) asm volatile("");
          if (i % 4 != 0) return;
          parallel_for(u64{0}, u64{90}, [](u64) {
            for (int k = 0; k < 300; ++k) asm volatile("");
          });
        },
        schedule(name.c_str()));
  }
  for (const record& r : report_now()) {
    SCOPED_TRACE(r.schedule);
    if (r.kind == site_kind::region || r.iterations == 0) continue;
    expect_whole(r);
    EXPECT_EQ(r.kind == site_kind::nested, r.over_calls.empty());
    EXPECT_EQ(r.kind == site_kind::nested, r.slowest_call.empty());
  }
}

// A part is cut into two or it ends. ebs-simple,1 cuts n iterations n - 1 times; in a first run a
// few of them are timed before that.
TEST(report_of_nests, splits_and_ends_are_those_of_the_schedule) {
  constexpr u64 n = 1'000;
  const thread_scope team(4);
  for (int run = 0; run < 2; ++run) {
    parallel_for(
        0, 5,
        [](int i) {
          if (i == 0) parallel_for(u64{0}, n, [](u64) {}, schedule("ebs-simple,1"));
        },
        schedule("lbs,1"));
  }
  const record r = only(report_now(), site_kind::nested, 2 * n);
  EXPECT_EQ(r.calls, 2U);
  EXPECT_EQ(r.stealing.ends, r.stealing.splits + 2);
  EXPECT_GE(r.stealing.splits, n - 1);
  expect_sound(r);
}

// Recursion: a loop inside of calls of itself.
void recurse(int depth, std::atomic<u64>& calls) {
  parallel_for(
      0, 2,
      [&](int) {
        calls.fetch_add(1, std::memory_order_relaxed);
        for (int i = 0; i < 100; ++i) asm volatile("");
        if (depth > 1) recurse(depth - 1, calls);
      },
      schedule("ebs-simple,1"));
}

TEST(report_of_nests, recursion_is_counted_once) {
  const thread_scope team(4);
  std::atomic<u64> calls{0};
  recurse(9, calls);
  ASSERT_EQ(calls.load(), 1022U);
  const std::vector<record> all = report_now();
  EXPECT_EQ(only(all, site_kind::loop, 2).calls, 1U);
  const record nested = only(all, site_kind::nested, 1020);
  EXPECT_EQ(nested.calls, 510U);
  expect_sound(nested);
}

TEST(report_of_nests, hybrid_has_claims_and_affinity) {
  constexpr u64 n = 4'000;
  const thread_scope team(4);
  for (int run = 0; run < 3; ++run) {
    parallel_for(u64{0}, n, [](u64) {}, schedule("hybrid"));
  }
  const record flat = only(report_now(), site_kind::loop, 3 * n);
  EXPECT_EQ(flat.calls, 3U);
  EXPECT_EQ(flat.stay_compared, 2 * n);
  EXPECT_EQ(flat.stealing.stolen, flat.chunks_stolen);
  constexpr u64 nested_n = 60;  // too few to be tried first
  parallel_for(
      0, 5, [](int) { parallel_for(u64{0}, nested_n, [](u64) {}, schedule("hybrid")); },
      schedule("lbs,1"));
  const record nested = only(report_now(), site_kind::nested, 5 * nested_n);
  EXPECT_EQ(nested.stealing.claims, 5U * 4U);
  expect_sound(nested);
}

// A child's report is its own: of what it begins after the fork.
TEST(report_of_nests, a_forked_child_begins_anew) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer lets no child of a threaded program start threads";
#endif
  constexpr u64 before_n = 31;
  constexpr u64 after_n = 37;
  run_program<1>(before_n, schedule("lbs,1"));
  const pid_t child = fork();
  if (child == 0) {
    run_program<1>(after_n, schedule("lbs,1"));
    const std::vector<record> all = report_now();
    only(all, site_kind::loop, after_n);
    only(all, site_kind::nested, after_n * middle_n);
    _exit(testing::Test::HasFailure() || all.size() != 3 ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const std::vector<record> all = report_now();
  only(all, site_kind::loop, before_n);
  only(all, site_kind::nested, before_n * middle_n);
}

}  // namespace
}  // namespace doall
