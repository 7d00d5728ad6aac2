// Forks while reports are on, threads begin their first loops, and teams inside of teams are made:
// all that takes the library's locks at once. Nobody waits for a second lock while it has one, or
// this build ends the program (base/fork.hpp), and each child's report is its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/file_text.hpp"
#include "observe/record.hpp"
#include "observe/site.hpp"
#include "support/file_environment.hpp"
#include "threads/pool.hpp"

namespace {

using namespace doall;

// Before the library looks, once.
char folder[] = "/tmp/doall-fork-reported-XXXXXX";
const doall::tests::file_environment asked(__FILE__, [] {
  if (mkdtemp(folder) != nullptr) setenv(doall::observe::report_folder_variable, folder, 1);
});
const pid_t owner = getpid();

// Not by the children, which leave by _exit().
[[gnu::destructor(101)]] void remove_folder() {
  std::error_code ignored;
  if (getpid() == owner) std::filesystem::remove_all(folder, ignored);
}

constexpr int rounds = 150;

// A thread's first loops and its first group.
void begin_loops() {
  const thread_scope three(3);
  std::atomic<int> ran{0};
  task_group tasks;
  tasks.run([&] { ++ran; });
  tasks.wait();
  parallel_for(0, 50, [&](int) { ++ran; }, schedule::lbs());
}

void make_inner_teams(const std::atomic<bool>& done) {
  for (std::uint32_t size = 2; !done; size = size % 5 + 2) {
    team::pool::lease inner(size, team::pool::lease::inside{1});
    std::atomic<std::uint32_t> ran{0};
    inner.run(
        {.run = [](const barrier::task& work,
                   std::uint32_t) { ++*static_cast<std::atomic<std::uint32_t>*>(work.context); },
         .context = &ran});
    EXPECT_EQ(ran, inner.size());
    if (size == 2) team::pool::end_idle_workers();  // and starts them anew
  }
}

TEST(ForkReported, WhileLocksAreTaken) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer may hang in a fork of a threaded program";
#endif
  std::atomic<bool> done{false};
  {
    std::vector<std::jthread> others;
    others.emplace_back([&] {
      while (!done) std::thread(begin_loops).join();
    });
    for (int i = 0; i < 2; ++i) others.emplace_back(make_inner_teams, std::cref(done));
    for (int round = 0; round < rounds; ++round) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(30);                  // a child that hangs is killed
#if !defined(__SANITIZE_ADDRESS__)  // whose own locks may be held
        begin_loops();
#endif
        _exit(0);
      }
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
      if (status != 0) break;
    }
    done = true;
  }
}

// A process may get a number that one before it had, whose report is there.
TEST(ForkReported, LeavesTheReportOfTheSameNumber) {
  begin_loops();
  const std::string usual = std::string(folder) + "/report." + std::to_string(getpid());
  std::ofstream(usual) << "another's";
  for (const char* again : {".2", ".3"}) {
    observe::write_at_exit(3);
    const std::string text = base::contents(usual + again).value_or("");
    EXPECT_EQ(observe::read_report(text).pid, static_cast<std::uint64_t>(getpid())) << again;
  }
  std::string text;
  std::getline(std::ifstream(usual), text);
  EXPECT_EQ(text, "another's");
}

}  // namespace
