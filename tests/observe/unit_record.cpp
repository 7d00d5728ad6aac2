// src/observe/record: what is written is read back, and what is no report is
// refused with the line that is wrong.
#include "observe/record.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "observe/decimals.hpp"
#include "observe/reason.hpp"

namespace doall::observe {
namespace {

record sample_record() {
  record r;
  r.kind = site_kind::loop;
  r.door = "gomp";
  r.module = "/usr/bin/app";
  r.offset = 0x1234;
  r.region = 0x1200;
  r.file = "app.c";
  r.line = 17;
  r.function = "main._omp_fn.0";
  r.caller = "solve+0x12";
  r.schedule = "guided,4";
  r.why = std::string(text_of(reason::named));
  r.workers = 2;
  r.calls = 3;
  r.calls_in_detail = 2;
  r.iterations = 1000;
  r.wall_time = 5;
  r.elapsed_time = 4;
  r.in_regions_time = 2;
  r.busy_time = 6;
  r.capacity_time = 12;
  r.bottleneck_time = 7;
  r.inside_time = 8;
  r.scheduling_time = 14;
  r.waiting_time = 15;
  r.idle_time = 16;
  r.over_calls = "2:3.500:4.000 1:5.000:5.000";
  r.slowest_call = "2:5.000 0.500:5.000:4.000";
  r.chunks_own = 9;
  r.chunks_central = 10;
  r.chunks_stolen = 11;
  r.stay_compared = 13;
  r.stay_stayed = 12;
  std::uint64_t next = 21;
  deque::counts::each([&](const char*, auto field) { r.stealing.*field = next++; });
  return r;
}

report process(std::uint64_t pid, const std::string& program, std::uint32_t threads,
               std::vector<record> records) {
  report made;
  made.pid = pid;
  made.program = program;
  made.threads = threads;
  made.wall_ns = 99;
  made.began_s = 1'700'000'000;
  made.cpus = 3;
  made.command = "./app --big 'a b'";
  made.settings = "OMP_DYNAMIC=true";
  made.records = std::move(records);
  return made;
}

// The text comes back from what was read, so every field came through.
void expect_round_trip(const report& what) {
  EXPECT_EQ(report_text(read_report(report_text(what))), report_text(what));
}

std::string refusal(const std::string& text) {
  try {
    read_report(text);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(report_file, every_field_comes_back) {
  const report back = read_report(report_text(process(42, "app", 8, {sample_record()})));
  EXPECT_EQ(back.pid, 42U);
  EXPECT_EQ(back.program, "app");
  EXPECT_EQ(back.threads, 8U);
  EXPECT_EQ(back.wall_ns, 99U);
  EXPECT_EQ(back.began_s, 1'700'000'000U);
  EXPECT_EQ(back.cpus, 3U);
  EXPECT_EQ(back.command, "./app --big 'a b'");
  EXPECT_EQ(back.settings, "OMP_DYNAMIC=true");
  ASSERT_EQ(back.records.size(), 1U);
  const record& r = back.records[0];
  EXPECT_EQ(r.kind, site_kind::loop);
  EXPECT_EQ(r.door, "gomp");
  EXPECT_EQ(r.module, "/usr/bin/app");
  EXPECT_EQ(r.offset, 0x1234U);
  EXPECT_EQ(r.region, 0x1200U);
  EXPECT_EQ(r.file, "app.c");
  EXPECT_EQ(r.line, 17U);
  EXPECT_EQ(r.function, "main._omp_fn.0");
  EXPECT_EQ(r.caller, "solve+0x12");
  EXPECT_EQ(r.schedule, "guided,4");
  EXPECT_EQ(r.workers, 2U);
  EXPECT_EQ(r.calls, 3U);
  EXPECT_EQ(r.calls_in_detail, 2U);
  EXPECT_EQ(r.iterations, 1000U);
  EXPECT_EQ(r.wall_time, 5U);
  EXPECT_EQ(r.busy_time, 6U);
  EXPECT_EQ(r.capacity_time, 12U);
  EXPECT_EQ(r.bottleneck_time, 7U);
  EXPECT_EQ(r.inside_time, 8U);
  EXPECT_EQ(r.scheduling_time, 14U);
  EXPECT_EQ(r.waiting_time, 15U);
  EXPECT_EQ(r.idle_time, 16U);
  EXPECT_EQ(r.over_calls, sample_record().over_calls);
  EXPECT_EQ(r.slowest_call, sample_record().slowest_call);
  EXPECT_EQ(r.chunks_own, 9U);
  EXPECT_EQ(r.chunks_central, 10U);
  EXPECT_EQ(r.chunks_stolen, 11U);
  EXPECT_EQ(r.stealing, sample_record().stealing);
  EXPECT_EQ(r.stealing.pushes, 21U);
  EXPECT_EQ(r.stealing.failed_claims, 31U);
}

TEST(report_file, none_one_and_many_records) {
  expect_round_trip({});
  expect_round_trip(process(1, "", 1, {record{}}));
  record region = sample_record();
  region.kind = site_kind::region;
  region.schedule = "-";
  record nested = sample_record();
  nested.kind = site_kind::nested;
  record sections = sample_record();
  sections.kind = site_kind::sections;
  expect_round_trip(
      process(1, "p", 1, {sample_record(), region, record{}, nested, sections, sample_record()}));
}

TEST(report_file, any_text_survives) {
  for (const char* text : {"a\tb", "a\nb", "\\", "\\t", "a\\\tb\\n\n", "\t", "\n", "end", "end\t1",
                           "\r\n", "\x7f\xff", " "}) {
    record r = sample_record();
    r.door = text;
    r.module = text;
    r.schedule = text;
    const report back = read_report(report_text(process(1, text, 1, {r})));
    EXPECT_EQ(back.program, text);
    ASSERT_EQ(back.records.size(), 1U);
    EXPECT_EQ(back.records[0].door, text);
    EXPECT_EQ(back.records[0].module, text);
    EXPECT_EQ(back.records[0].schedule, text);
  }
}

TEST(report_file, the_largest_numbers_survive) {
  record r;
  r.offset = r.iterations = r.chunks_stolen = std::numeric_limits<std::uint64_t>::max();
  r.line = r.workers = std::numeric_limits<std::uint32_t>::max();
  const report back = read_report(report_text(process(1, "p", 1, {r})));
  EXPECT_EQ(back.records[0].iterations, r.iterations);
  EXPECT_EQ(back.records[0].line, r.line);
}

TEST(report_file, what_is_no_report_is_refused) {
  EXPECT_EQ(refusal(""), "not a doall report: line 1: expected more lines, the file ends here");
  EXPECT_EQ(refusal("#!/bin/sh\n"),
            "not a doall report: line 1: is \"#!/bin/sh\", expected \"doall-report 9\"");
  EXPECT_EQ(refusal("doall-report 2\n"),
            "not a doall report: line 1: is \"doall-report 2\", expected \"doall-report 9\"");
}

TEST(report_file, a_bad_field_is_named_with_its_line) {
  const std::string good = report_text(process(42, "app", 8, {sample_record()}));
  ASSERT_EQ(refusal(good), "accepted");
  EXPECT_EQ(refusal(replaced(good, "42\t", "-42\t")),
            "not a doall report: line 2: field pid is \"-42\", expected a whole number up to "
            "18446744073709551615");
  EXPECT_EQ(refusal(replaced(good, "\t17\t", "\t4294967296\t")),
            "not a doall report: line 3: field line is \"4294967296\", expected a whole number up "
            "to 4294967295");
  EXPECT_EQ(refusal(replaced(good, "loop", "lop")),
            "not a doall report: line 3: field kind is \"lop\", expected \"loop\", \"region\", "
            "\"nested\" or \"sections\"");
  EXPECT_EQ(refusal(replaced(good, "app.c", "app\\q")),
            "not a doall report: line 3: field file is \"app\\q\", expected t, n or \\ after a "
            "backslash");
  EXPECT_EQ(refusal(replaced(good, "app.c", "app\\")),
            "not a doall report: line 3: field file is \"app\\\", expected t, n or \\ after a "
            "backslash");
  EXPECT_EQ(refusal(replaced(good, "\t31\n", "\n")),
            "not a doall report: line 3: field failed_claims is missing");
  EXPECT_EQ(refusal(replaced(good, "\t31\n", "\t31\t7\n")),
            "not a doall report: line 3: expected the end of the line, got \"7\"");
}

TEST(report_file, a_file_that_was_cut_off_is_refused) {
  const std::string good = report_text(process(42, "app", 8, {sample_record(), sample_record()}));
  for (std::size_t length = 0; length + 1 < good.size(); ++length) {
    EXPECT_NE(refusal(good.substr(0, length)), "accepted") << length;
  }
  EXPECT_EQ(refusal(replaced(good, "end\t2", "end\t3")),
            "not a doall report: line 5: 3 records announced, but 2 found");
}

TEST(report_file, of_one_that_may_be_cut_off_whole_records_are_read) {
  const std::string good = report_text(process(42, "app", 8, {sample_record(), sample_record()}));
  const std::size_t two_lines = good.find('\n', good.find('\n') + 1) + 1;
  const std::size_t three_lines = good.find('\n', two_lines) + 1;
  const std::size_t four_lines = good.find('\n', three_lines) + 1;
  for (std::size_t length = two_lines; length <= good.size(); ++length) {
    const std::size_t whole = length < three_lines ? 0 : length < four_lines ? 1 : 2;
    EXPECT_EQ(read_report(good.substr(0, length), true).records.size(), whole) << length;
  }
}

TEST(Decimals, AreThree) {
  EXPECT_EQ(decimals(0), "0.000");
  EXPECT_EQ(decimals(0.0004), "0.000");
  EXPECT_EQ(decimals(3.5), "3.500");
  EXPECT_EQ(decimals(12.0625), "12.063");
  EXPECT_EQ(decimals(1.9996), "2.000");
  EXPECT_EQ(decimals(1e18), "1000000000000000000.000");
  EXPECT_EQ(decimals(-1), "0");
  EXPECT_EQ(decimals(1e300), "0");
}

}  // namespace
}  // namespace doall::observe
