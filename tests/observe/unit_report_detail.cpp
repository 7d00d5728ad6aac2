// A report counts few calls of short loops in detail, and all of long ones; what it says of all
// calls is whole either way.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/file_text.hpp"
#include "observe/site.hpp"
#include "support/file_environment.hpp"
#include "support/temp_folder.hpp"

namespace doall::observe {
namespace {

using u64 = std::uint64_t;

// Asked for before the first loop of the process, which looks once.
const tests::temp_folder detail_folder;
const tests::file_environment detail_asked(__FILE__, [] {
  setenv(report_folder_variable, detail_folder.path().c_str(), 1);
});

constexpr std::uint32_t workers = 2;
constexpr u64 iterations = 100;
constexpr u64 long_ticks = u64{1} << 40;  // no reading of a clock is a hundredth of it

// Of `ticks` one worker spends nine tenths in the program's code, the other one half of them, in
// chunks of one iteration, and then waits.
std::vector<tally> tallies_of(u64 ticks) {
  std::vector<tally> all(workers);
  for (std::uint32_t w = 0; w < workers; ++w) {
    tally& t = all[w];
    t.entered_ticks = 1;
    t.left_ticks = 1 + ticks / (w + 1);
    t.inside_ticks = t.left_ticks - t.entered_ticks;
    t.busy_ticks = t.inside_ticks / 10 * 9;
    t.iterations = t.chunks[0] = iterations / workers;
    t.timed = true;
  }
  return all;
}

void count(const counting& as, u64 ticks) {
  const execution_times when{1, 1 + ticks};
  const execution_form ran{.workers = workers};
  if (as.as_a_whole()) {
    add_whole(as, ran, when, iterations);
    return;
  }
  ASSERT_TRUE(as.in_detail());
  stay_samples* const samples = borrow_samples(as, iterations, {});
  ASSERT_NE(samples, nullptr);
  std::vector<tally> all = tallies_of(ticks);
  for (std::uint32_t w = 0; w < workers; ++w) {
    const u64 half = iterations / workers;
    all[w].stay = samples->mark(w, {w * half, (w + 1) * half, 1});
  }
  add_execution(as, ran, when, all.data(), samples);
}

record record_of(std::uint32_t line) {
  write_at_exit(workers);
  const std::string file = detail_folder.path() + "/report." + std::to_string(getpid());
  record found;
  for (const record& r : read_report(base::contents(file).value_or("")).records) {
    if (r.line == line) found = r;
  }
  std::filesystem::remove(file);
  return found;
}

void expect_whole(const record& r) {
  const auto whole = static_cast<double>(r.capacity_time);
  EXPECT_NEAR(static_cast<double>(r.busy_time + r.scheduling_time + r.waiting_time + r.idle_time),
              whole, whole / 100);
}

TEST(ReportDetail, CallsOfALongLoopAreAllCountedInDetail) {
  site_records known;
  site* const s = find_site(known, {.line = 1});
  constexpr u64 calls = 200;
  for (u64 k = 0; k < calls; ++k) {
    const counting as = count_next(s);
    EXPECT_EQ(as.stands_for, 1U);
    count(as, long_ticks);
  }
  const record r = record_of(1);
  EXPECT_EQ(r.calls, calls);
  EXPECT_EQ(r.calls_in_detail, calls);
  EXPECT_EQ(r.iterations, calls * iterations);
  EXPECT_EQ(r.chunks_own, calls * iterations);
  EXPECT_EQ(r.stay_compared, (calls - 1) * iterations);
  EXPECT_EQ(r.stay_stayed, r.stay_compared);
  expect_whole(r);
}

// A loop of some readings of the clock: counting it in detail costs more than it takes.
TEST(ReportDetail, FewCallsOfAShortLoopStandForAll) {
  site_records known;
  site* const s = find_site(known, {.line = 2});
  constexpr u64 calls = 20'000;
  u64 in_detail = 0;
  u64 pairs = 0;
  for (u64 k = 0; k < calls; ++k) {
    const counting as = count_next(s);
    if (k < counted_first) EXPECT_EQ(as.stands_for, 1U) << k;
    if (as.in_detail()) ++in_detail;
    if (as.in_detail() && k % 2 != 0) {
      EXPECT_TRUE(as.follows) << "a neighbour of an even one";
      ++pairs;
    }
    // The second half of the calls are twice as long.
    count(as, k < calls / 2 ? 100 : 200);
  }
  EXPECT_NEAR(static_cast<double>(in_detail), 16 + calls / static_cast<double>(detailed_in_most),
              60);
  EXPECT_EQ(in_detail, 2 * pairs);
  const record r = record_of(2);
  EXPECT_EQ(r.calls, calls);
  EXPECT_EQ(r.calls_in_detail, in_detail);
  EXPECT_EQ(r.iterations, calls * iterations);
  EXPECT_NEAR(static_cast<double>(r.capacity_time), static_cast<double>(workers * r.wall_time), 2);
  EXPECT_NEAR(static_cast<double>(r.chunks_own), static_cast<double>(r.iterations), 1);
  EXPECT_NEAR(static_cast<double>(r.busy_time) / static_cast<double>(r.capacity_time), 0.675, 0.01);
  // The first ones follow each other; of later ones the second of each pair follows the first.
  EXPECT_GE(r.stay_compared, (counted_first - 1 + pairs - counted_first / 2) * iterations);
  EXPECT_LT(r.stay_compared, in_detail * iterations);
  EXPECT_EQ(r.stay_stayed, r.stay_compared);
  EXPECT_NE(r.slowest_call, "");
  expect_whole(r);
}

// By chance all of few calls are counted in detail, though some stood for two.
TEST(ReportDetail, CallsAreAsManyAsThereWere) {
  site_records known;
  site* const s = find_site(known, {.line = 4});
  constexpr u64 calls = 10;
  for (u64 k = 0; k < calls; ++k) {
    counting as = count_next(s);
    as.stands_for = k < calls / 2 ? 1 : 2;
    count(as, long_ticks);
  }
  const record r = record_of(4);
  EXPECT_EQ(r.calls, calls);
  EXPECT_EQ(r.calls_in_detail, calls);
  EXPECT_EQ(r.iterations, calls * iterations);
  expect_whole(r);
}

// A site whose calls become long has its detail back.
TEST(ReportDetail, DetailFollowsTheTimeOfACall) {
  site_records known;
  site* const s = find_site(known, {.line = 3});
  for (int k = 0; k < 5'000; ++k) count(count_next(s), 100);
  for (int k = 0; k < 5'000; ++k) count(count_next(s), long_ticks);
  EXPECT_EQ(count_next(s).stands_for, 1U);
}

bool is_asleep(pid_t thread) {
  const std::string file = "/proc/self/task/" + std::to_string(thread) + "/stat";
  const std::string stat = base::contents(file).value_or("");
  const std::size_t name_ends = stat.rfind(')');
  return name_ends != std::string::npos && stat.compare(name_ends, 3, ") S") == 0;
}

// A report is written to a pipe that is full, and which nobody reads as yet: loops go on.
TEST(ReportDetail, LoopsDoNotWaitForWhoReadsAReport) {
  site_records known;
  site* const s = find_site(known, {.line = 5});
  count(count_next(s), long_ticks);
  const std::string name = detail_folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  const int end = open(name.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(end, 0);
  while (write(end, "x", 1) == 1) {
  }
  std::atomic<pid_t> writer{0};
  std::atomic<bool> is_written{false};
  std::thread report([&] {
    writer = static_cast<pid_t>(syscall(SYS_gettid));
    is_written = write_to(name.c_str(), workers);
  });
  while (writer == 0 || !is_asleep(writer)) std::this_thread::yield();
  for (int k = 0; k < 100; ++k) count(count_next(s), long_ticks);
  EXPECT_FALSE(is_written);
  std::string all(1 << 16, '\0');
  std::thread reader([&] {
    while (!is_written) {
      if (read(end, all.data(), all.size()) <= 0) std::this_thread::yield();
    }
  });
  report.join();
  reader.join();
  close(end);
}

}  // namespace
}  // namespace doall::observe
