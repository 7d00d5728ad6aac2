// A process's report that is damaged: read, or refused with words.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "observe/reason.hpp"
#include "observe/record.hpp"
#include "support/damage.hpp"
#include "support/seeds.hpp"

namespace doall::observe {
namespace {

report sample_report() {
  record r;
  r.kind = site_kind::loop;
  r.door = "gomp";
  r.module = "/usr/bin/app";
  r.offset = 0x1234;
  r.file = "app.c";
  r.line = 17;
  r.function = "main._omp_fn.0";
  r.schedule = "guided,4";
  r.why = std::string(text_of(reason::named));
  r.workers = 2;
  r.calls = 3;
  r.iterations = 1000;
  r.over_calls = "2:3.500:4.000 1:5.000:5.000";
  r.slowest_call = "2:5.000 0.500:5.000:4.000";
  report made;
  made.pid = 1;
  made.program = "app";
  made.threads = 2;
  made.command = "./app --big";
  made.records = {r, r};
  return made;
}

TEST(DamagedReport, IsReadOrRefused) {
  const std::string valid = report_text(sample_report());
  tests::for_each_case(5'000, [&](base::rng& random) {
    const std::string text = tests::damaged(valid, random);
    try {
      read_report(text, random.below(2) == 0);
    } catch (const std::runtime_error& e) {
      EXPECT_STRNE(e.what(), "");
    }
  });
}

}  // namespace
}  // namespace doall::observe
