// main() of a room's test programs. A program holds the files of one room; each file expects a
// process of its own, in which the runtime has not begun.
//
//   team_tests --file=unit_pool [--gtest_...]   the tests of that file
//   team_tests [--gtest_...]                    all files, a process each
//
// Suites whose names end in `Timed` judge a clock. They run only if DOALL_TEST_TIMED is set: `all`
// runs them too, `only` runs nothing else.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/file_environment.hpp"

namespace doall::tests {
namespace {

std::string file_of(const char* path) { return std::filesystem::path(path).stem().string(); }

// What DOALL_TEST_TIMED says of a suite. An instantiated one is called prefix/name.
bool is_wanted(std::string_view suite) {
  const char* given = std::getenv("DOALL_TEST_TIMED");
  const std::string_view timed = given != nullptr ? given : "";
  if (timed == "all") return true;
  return suite.ends_with("Timed") == (timed == "only");
}

// Selects the tests of `file` that the caller's own filter lets through. GoogleTest has one filter,
// so it is made of names: of those wanted, or, behind the caller's patterns, of all others.
// Returns whether there is such a file.
bool filter_by_file(const std::string& file) {
  bool exists = false;
  std::string wanted;
  std::string others;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      const bool in_file = file_of(test.file()) == file;
      const bool mine = in_file && is_wanted(suite.name());
      exists = exists || in_file;
      (mine ? wanted : others) += std::string(":") + suite.name() + "." + test.name();
    }
  }
  if (!exists) {
    std::fprintf(stderr, "--file=%s: no test of this program is in such a file; nothing was run\n",
                 file.c_str());
    return false;
  }
  const std::string given = GTEST_FLAG_GET(filter);
  if (given.empty() || given == "*") {
    GTEST_FLAG_SET(filter, wanted.empty() ? "no.test" : wanted.substr(1));
  } else if (!others.empty()) {
    const bool excludes = given.find('-') != std::string::npos;
    GTEST_FLAG_SET(filter, given + (excludes ? others : "-" + others.substr(1)));
  }
  return true;
}

// Runs this program on one file. Returns whether it passed.
bool passes_alone(const std::string& file, const std::vector<char*>& arguments) {
  const std::string option = "--file=" + file;
  std::printf("== %s\n", file.c_str());
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> all = arguments;
    all.push_back(const_cast<char*>(option.c_str()));  // execv() does not write to it
    all.push_back(nullptr);
    execv("/proc/self/exe", all.data());
    _exit(127);
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status != 0) std::printf("== %s FAILED\n", file.c_str());
  return status == 0;
}

}  // namespace
}  // namespace doall::tests

int main(int argc, char** argv) {
  using namespace doall::tests;
  const std::vector<char*> arguments(argv, argv + argc);
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view option = "--file=";
  std::string file;
  for (int a = 1; a < argc; ++a) {
    if (std::string_view(argv[a]).starts_with(option)) file = argv[a] + option.size();
  }
  if (!file.empty()) {
    if (!filter_by_file(file)) return 1;
    apply_environment_of(file);
    return RUN_ALL_TESTS();
  }
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  std::set<std::string> files;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    if (!is_wanted(suite.name())) continue;
    for (int t = 0; t < suite.total_test_count(); ++t) {
      files.insert(file_of(suite.GetTestInfo(t)->file()));
    }
  }
  if (files.empty()) {
    std::fprintf(stderr, "no suite is of the kind that DOALL_TEST_TIMED asks for\n");
    return 1;
  }
  int failed = 0;
  for (const std::string& each : files) failed += passes_alone(each, arguments) ? 0 : 1;
  return failed == 0 ? 0 : 1;
}
