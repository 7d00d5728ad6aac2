// The report of a program of very many loops: each has its record, and they take little memory.
#include <gtest/gtest.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "base/file_text.hpp"
#include "observe/site.hpp"
#include "sites/site.hpp"
#include "support/file_environment.hpp"

namespace doall {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool own_memory = false;  // the sanitizer's is more
constexpr std::uint32_t sites = 10'000;
#else
constexpr bool own_memory = true;
constexpr std::uint32_t sites = 100'000;
#endif

constexpr std::size_t all_most_kib = 200'000;

// A folder for reports, asked for before the first loop of the process, which looks once.
char folder[] = "/tmp/doall-report-XXXXXX";
const doall::tests::file_environment asked(__FILE__, [] {
  if (mkdtemp(folder) != nullptr) setenv(doall::observe::report_folder_variable, folder, 1);
});

// After the process's own report.
[[gnu::destructor(101)]] void remove_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

// The most that this process has had of memory.
std::size_t peak_kib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::size_t kib = 0;
  while (status >> word) {
    if (word == "VmHWM:") status >> kib;
  }
  return kib;
}

TEST(ReportOfManySites, HasEachInLittleMemory) {
  const thread_scope team(2);
  const schedule how = schedule::static_();
  doall_loop loop{};
  loop.size = sizeof loop;
  loop.iterations = 50;
  loop.schedule = how.raw();
  loop.file = "/home/somebody/projects/simulation/src/generated/kernels.c";
  loop.function = "a_function_with_a_name_that_is_not_short";
  loop.body = [](void*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) { return 0; };
  doall_run(&loop);
  const std::size_t before_kib = peak_kib();
  for (int time = 0; time < 2; ++time) {
    for (std::uint32_t line = 1; line <= sites; ++line) {
      loop.line = line;
      ASSERT_EQ(doall_run(&loop), 0);
    }
  }
  observe::write_at_exit(2);
  if (own_memory) {
    EXPECT_LT(peak_kib() - before_kib, all_most_kib);
    std::printf("%u sites: %zu MiB\n", sites, (peak_kib() - before_kib) >> 10);
  }
  EXPECT_LE(observe::stay_samples::all_bytes(), observe::stay_samples::all_bytes_most);

  const auto report = base::contents(std::string(folder) + "/report." + std::to_string(getpid()));
  std::set<std::uint32_t> lines;
  std::uint64_t compared = 0;
  for (const observe::record& r : observe::read_report(report.value_or("")).records) {
    if (r.line == 0) continue;
    EXPECT_TRUE(lines.insert(r.line).second) << r.line;
    ASSERT_EQ(r.calls, 2U) << r.line;
    ASSERT_EQ(r.iterations, 100U) << r.line;
    compared += r.stay_compared;
  }
  EXPECT_EQ(lines.size(), sites);
  EXPECT_EQ(compared, std::uint64_t{sites} * 50);
}

}  // namespace
}  // namespace doall
